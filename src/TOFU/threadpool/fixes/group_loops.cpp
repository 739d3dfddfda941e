// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "group_loops.h"

#include "atom.h"
#include "domain.h"
#include "lammps.h"
#include "region.h"

#include <algorithm>

using namespace LAMMPS_NS;

UnwrappedPositions::UnwrappedPositions(LAMMPS *lmp) : x(lmp->atom->x), image(lmp->atom->image)
{
  std::copy_n(lmp->domain->h, 6, h);
}

MassOf::MassOf(const Atom *atom) : rmass(atom->rmass), mass(atom->mass), type(atom->type) {}

GroupLoops::GroupLoops(LAMMPS *lmp, RankPool *pool, int bit, Region *only) :
    threadpool(pool), natoms(lmp->atom->nlocal), groupbit(bit), mask(lmp->atom->mask),
    x(lmp->atom->x), region(only)
{
}

/* ----------------------------------------------------------------------
   by several parts at a time: regions only read what prematch() has set
------------------------------------------------------------------------- */

bool GroupLoops::is_in_region(const double *at) const
{
  return region->match(at[0], at[1], at[2]);
}
