// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pbc_on_pool.h"

#include "threadpool/pool/fix_on_pool.h"

#include "atom.h"
#include "domain.h"
#include "lammps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

using namespace LAMMPS_NS;

namespace {

/** Places from lo up to, not including, hi in each dimension. */
struct Bounds {
  std::array<double, 3> lo, hi;

  bool has(const double *x) const    // false for what is not a number
  {
    return x[0] >= lo[0] && x[0] < hi[0] && x[1] >= lo[1] && x[1] < hi[1] && x[2] >= lo[2] &&
        x[2] < hi[2];
  }
};

/** The box and so many boxes around it; all finite places where it is not periodic. */
Bounds bounds_of(const Domain *domain, double nboxes)
{
  constexpr double LARGEST = std::numeric_limits<double>::max();
  const std::array<bool, 3> periodic = {domain->xperiodic != 0, domain->yperiodic != 0,
                                        domain->zperiodic != 0};
  Bounds bounds{};
  for (int dim = 0; dim < 3; dim++) {
    const double margin = nboxes * domain->prd[dim];
    bounds.lo[dim] = periodic[dim] ? domain->boxlo[dim] - margin : -LARGEST;
    bounds.hi[dim] = periodic[dim] ? domain->boxhi[dim] + margin : INFINITY;
  }
  return bounds;
}

}    // namespace

/* ----------------------------------------------------------------------
   Domain::pbc() itself does what is rare: it has an error for coordinates that
   are not numbers, moves an atom by one box only, and changes velocities in a box
   that is deformed.  It leaves alone what is back in the box
------------------------------------------------------------------------- */

void LAMMPS_NS::pbc_on_pool(LAMMPS *lmp, RankPool *threadpool)
{
  Domain *const domain = lmp->domain;
  Atom *const atom = lmp->atom;
  if (!threadpool || domain->triclinic || domain->deform_vremap) {
    domain->pbc();
    return;
  }
  const Bounds box = bounds_of(domain, 0.0), around = bounds_of(domain, 0.5);
  double **x = atom->x;
  imageint *const image = atom->image;
  const int natoms = atom->nlocal, nparts = parts_for_atoms(threadpool, natoms);
  std::vector<int> nfar(nparts, 0);
  for_parts_of_atoms(threadpool, nparts, natoms, [&](int part, int first, int last) {
    for (int i = first; i < last; i++) {
      if (box.has(x[i])) continue;
      if (around.has(x[i]))
        domain->remap(x[i], image[i]);
      else
        nfar[part]++;
    }
  });
  if (std::any_of(nfar.begin(), nfar.end(), [](int n) { return n > 0; })) domain->pbc();
}
