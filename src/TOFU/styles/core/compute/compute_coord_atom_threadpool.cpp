// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "compute_coord_atom_threadpool.h"

#include "atom.h"
#include "memory.h"
#include "neigh_list.h"
#include "neighbor.h"
#include "update.h"

#include <algorithm>

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

void ComputeCoordAtomThreadpool::make_room()
{
  if (atom->nmax <= nmax) return;
  nmax = atom->nmax;
  if (ncol == 1) {
    memory->destroy(cvec);
    memory->create(cvec, nmax, "coord/atom:cvec");
    vector_atom = cvec;
  } else {
    memory->destroy(carray);
    memory->create(carray, nmax, ncol, "coord/atom:carray");
    array_atom = carray;
  }
}

/* ---------------------------------------------------------------------- */

void ComputeCoordAtomThreadpool::compute_peratom()
{
  if (cstyle != CUTOFF) {
    ComputeCoordAtom::compute_peratom();
    return;
  }
  invoked_peratom = update->ntimestep;
  make_room();
  neighbor->build_one(list);

  const double *const *const x = atom->x;
  const int *const type = atom->type, *const mask = atom->mask;
  const int *const ilist = list->ilist, *const numneigh = list->numneigh;
  const int *const *const firstneigh = list->firstneigh;
  const int bit = groupbit, others = jgroupbit;
  const double end = cutsq;

  // count(j) for the neighbors of an atom within the distance

  const auto for_near = [=](int i, const auto &count) {
    const double *const at = x[i];
    const int *const row = firstneigh[i], nrow = numneigh[i];
    for (int jj = 0; jj < nrow; jj++) {
      const int j = row[jj] & NEIGHMASK;
      if (!(mask[j] & others)) continue;
      const double *const other = x[j];
      const double dx = at[0] - other[0], dy = at[1] - other[1], dz = at[2] - other[2];
      if (dx * dx + dy * dy + dz * dz < end) count(j);
    }
  };
  const auto for_each_atom = [&](const auto &work) {
    for_atoms(threadpool(), list->inum, [&](int first, int last) {
      for (int ii = first; ii < last; ii++) work(ilist[ii]);
    });
  };
  if (ncol == 1)
    for_each_atom([=, lo = typelo[0], hi = typehi[0], counts = cvec](int i) {
      int n = 0;
      if (mask[i] & bit) for_near(i, [&](int j) { n += type[j] >= lo && type[j] <= hi; });
      counts[i] = n;
    });
  else
    for_each_atom([=, n = ncol, counts = carray](int i) {
      std::fill_n(counts[i], n, 0.0);
      if (!(mask[i] & bit)) return;
      for_near(i, [&](int j) {
        for (int m = 0; m < n; m++)
          if (type[j] >= typelo[m] && type[j] <= typehi[m]) counts[i][m] += 1.0;
      });
    });
}
