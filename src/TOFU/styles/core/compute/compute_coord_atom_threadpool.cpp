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

  const AtomRows x(atom->x);
  const int *const type = atom->type, *const mask = atom->mask;
  const int bit = groupbit, others = jgroupbit, n = ncol;
  const double end = cutsq;
  for_atoms(threadpool(), list->inum, [&](int first, int last) {
    for (int ii = first; ii < last; ii++) {
      const int i = list->ilist[ii];
      double *const counts = n == 1 ? cvec + i : carray[i];
      std::fill_n(counts, n, 0.0);
      if (!(mask[i] & bit)) continue;
      const double *const at = x[i];
      const int *const row = list->firstneigh[i], nrow = list->numneigh[i];
      for (int jj = 0; jj < nrow; jj++) {
        const int j = row[jj] & NEIGHMASK;
        if (!(mask[j] & others)) continue;
        const double dx = at[0] - x[j][0], dy = at[1] - x[j][1], dz = at[2] - x[j][2];
        const bool is_near = dx * dx + dy * dy + dz * dz < end;
        if (!is_near) continue;
        for (int m = 0; m < n; m++)
          if (type[j] >= typelo[m] && type[j] <= typehi[m]) counts[m] += 1.0;
      }
    }
  });
}
