// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(deepmd,PairDeepMDNeedsSuffix);
// clang-format on
#else

#ifndef LMP_PAIR_DEEPMD_NEEDS_SUFFIX_H
#define LMP_PAIR_DEEPMD_NEEDS_SUFFIX_H

#include "pair.h"

namespace LAMMPS_NS {

/** The name of deepmd-kit's style, as long as its plug-in is not loaded: pair_style hybrid takes
    names that are not there for arguments of the style before.  Making one is an error. */
class PairDeepMDNeedsSuffix : public Pair {
 public:
  PairDeepMDNeedsSuffix(class LAMMPS *);
  void compute(int, int) override {}
  void settings(int, char **) override {}
  void coeff(int, char **) override {}
};

}    // namespace LAMMPS_NS

#endif
#endif
