// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "atom_copies.h"

#include "threadpool/pool/rank_pool.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "neighbor.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr double SINGLE_REACH = 32.0;    // neighbor cut-offs from the center of a sub-box

/* ---------------------------------------------------------------------- */

AtomCopies::AtomCopies(LAMMPS *lmp, Number how_many) :
    Pointers(lmp), rank_pool(RankPool::of(lmp)), number(how_many)
{
}

/* ---------------------------------------------------------------------- */

void AtomCopies::reset(RankPool *pool_of_rank, bool in_single_precision)
{
  rank_pool = pool_of_rank;
  single = in_single_precision;
}

/* ---------------------------------------------------------------------- */

bool AtomCopies::of_parts() const
{
  return number == Number::OF_PARTS && rank_pool->nparts() > 1;
}

/* ---------------------------------------------------------------------- */

void AtomCopies::gather(const double *charges, bool types)
{
  AtomsToGather from;
  from.natoms = atom->nlocal + atom->nghost;
  from.x = from.natoms ? atom->x[0] : nullptr;
  from.type = types ? atom->type : nullptr;
  from.fourth = charges;
  from.singly = single && !is_too_wide();
  if (from.singly) find_center(from.center);
  renew(from);
}

/* ---------------------------------------------------------------------- */

void AtomCopies::gather_sites(const double *x, const double *charges)
{
  AtomsToGather from;
  from.natoms = atom->nlocal + atom->nghost;
  from.x = x;
  from.fourth = charges;
  renew(from);
}

/* ---------------------------------------------------------------------- */

void AtomCopies::renew(const AtomsToGather &from)
{
  gathered.renew(from, of_parts() ? rank_pool->nparts() : 1);
}

/* ----------------------------------------------------------------------
   a coordinate in single precision is off by up to 6e-8 of the distance from
   the center, and a force by some 14 times that over the distance of the pair
------------------------------------------------------------------------- */

bool AtomCopies::is_too_wide()
{
  double widest = 0.0;
  for (int dim = 0; dim < 3; dim++) {
    const double width = domain->triclinic
        ? domain->prd[dim] * (domain->subhi_lamda[dim] - domain->sublo_lamda[dim])
        : domain->subhi[dim] - domain->sublo[dim];
    widest = std::max(widest, 0.5 * width / neighbor->cutneighmax);
  }
  if (widest <= SINGLE_REACH) return false;
  if (!warned_too_wide)
    error->warning(FLERR,
                   "package threadpool precision mixed: the sub-box of rank {} is {:.0f} neighbor "
                   "cutoffs wide, so that coordinates in single precision are too inexact beyond "
                   "{:.0f}; its pairs are computed in double precision. Use more ranks",
                   comm->me, 2.0 * widest, 2.0 * SINGLE_REACH);
  warned_too_wide = true;
  return true;
}

/* ---------------------------------------------------------------------- */

void AtomCopies::find_center(double *center) const
{
  if (domain->triclinic) {
    double lamda[3];
    for (int dim = 0; dim < 3; dim++)
      lamda[dim] = 0.5 * (domain->sublo_lamda[dim] + domain->subhi_lamda[dim]);
    domain->lamda2x(lamda, center);
  } else {
    for (int dim = 0; dim < 3; dim++) center[dim] = 0.5 * (domain->sublo[dim] + domain->subhi[dim]);
  }
}

/* ---------------------------------------------------------------------- */

void AtomCopies::fill()
{
  const int nparts = rank_pool->nparts(), nall = gathered.natoms();
  gathered.begin(0);
  rank_pool->parts().run([&](int part) {
    gathered.fill(0, begin_of_share(part, nparts, nall, GRAIN),
                  begin_of_share(part + 1, nparts, nall, GRAIN));
  });
  gathered.end(0);
}

/* ---------------------------------------------------------------------- */

PairAtoms AtomCopies::of_part(int part, const PartReach &reach)
{
  if (!of_parts()) return gathered.atoms(0);
  if (gathered.missing(part) != GatheredAtoms::Missing::NOTHING) {
    gathered.begin(part);
    reach.for_ranges(part, [&](int first, int last) {
      gathered.fill(part, first, std::min(last, reach.natoms() - 1));
    });
    gathered.end(part);
  }
  return gathered.atoms(part);
}
