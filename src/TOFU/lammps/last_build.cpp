// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "last_build.h"

#include "neighbor.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

LastBuild LastBuild::of(const Neighbor *neighbor)
{
  return {neighbor->lastcall, neighbor->ncalls};
}

/* ---------------------------------------------------------------------- */

bool LastBuild::is_outdated(const Neighbor *neighbor) const
{
  return neighbor->ago == 0 || lastcall != neighbor->lastcall || ncalls != neighbor->ncalls;
}
