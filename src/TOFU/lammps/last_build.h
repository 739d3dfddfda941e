// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// When neighbor lists, and those of bonds, were built last: data made from them are out of date
// after that.

#ifndef TOFU_LAST_BUILD_H
#define TOFU_LAST_BUILD_H

#include "lmptype.h"

namespace LAMMPS_NS {
class Neighbor;
}

namespace TOFU_NS {

struct LastBuild {
  LAMMPS_NS::bigint lastcall = -1, ncalls = -1;    // of Neighbor

  static LastBuild of(const LAMMPS_NS::Neighbor *neighbor);

  /** Whether lists may have been built since: always at a step with new lists, which may be built
      again in it. */
  bool is_outdated(const LAMMPS_NS::Neighbor *neighbor) const;
};

}    // namespace TOFU_NS

#endif
