// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef TOFU_PAIR_STYLES_IN_USE_H
#define TOFU_PAIR_STYLES_IN_USE_H

#include <string>
#include <vector>

namespace LAMMPS_NS {
class Force;
class Pair;
}    // namespace LAMMPS_NS

namespace TOFU_NS {

struct PairInUse {
  std::string style;    // with its suffix, except in a hybrid style, which does not keep it
  LAMMPS_NS::Pair *pair;
};

/** The pair style, or the sub-styles of a hybrid one; none if there is no pair style. */
std::vector<PairInUse> pair_styles_in_use(const LAMMPS_NS::Force *);

/** The name with the suffix threadpool, if the style has it. */
std::string name_with_suffix(const PairInUse &);

}    // namespace TOFU_NS

#endif
