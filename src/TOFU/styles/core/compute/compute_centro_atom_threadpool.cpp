// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "compute_centro_atom_threadpool.h"

#include "atom.h"
#include "force.h"
#include "neigh_list.h"
#include "neighbor.h"
#include "pair.h"
#include "update.h"
#include "utils.h"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace LAMMPS_NS;

/* ----------------------------------------------------------------------
   compute centro/atom has checked its arguments
------------------------------------------------------------------------- */

ComputeCentroAtomThreadpool::ComputeCentroAtomThreadpool(LAMMPS *lmp, int narg, char **arg) :
    GroupComputeOnPool(lmp, narg, arg)
{
  if (strcmp(arg[3], "fcc") == 0)
    nnearest = 12;
  else if (strcmp(arg[3], "bcc") == 0)
    nnearest = 8;
  else
    nnearest = utils::inumeric(FLERR, arg[3], false, lmp);
}

/* ---------------------------------------------------------------------- */

void ComputeCentroAtomThreadpool::init_list(int id, NeighList *list)
{
  ComputeCentroAtom::init_list(id, list);
  rows = list;
}

/* ---------------------------------------------------------------------- */

void ComputeCentroAtomThreadpool::compute_peratom()
{
  if (size_peratom_cols) {    // crystal axes
    ComputeCentroAtom::compute_peratom();
    return;
  }
  invoked_peratom = update->ntimestep;
  if (static_cast<int>(values.size()) < atom->nmax) values.resize(atom->nmax);
  vector_atom = values.data();
  neighbor->build_one(rows);

  const AtomRows x(atom->x);
  const double cutsq = force->pair->cutforce * force->pair->cutforce;
  for_atoms(threadpool(), rows->inum, [&](int first, int last) {
    Scratch scratch;
    scratch.pairs.resize(nnearest * (nnearest - 1) / 2);
    for (int ii = first; ii < last; ii++) {
      const int i = rows->ilist[ii];
      values[i] = atom->mask[i] & groupbit ? symmetry_of(i, cutsq, x, scratch) : 0.0;
    }
  });
}

/* ----------------------------------------------------------------------
   the sum of the smallest squares of the sums of two vectors to the nearest neighbors, as many as
   half of these; 0 if there are too few
------------------------------------------------------------------------- */

double ComputeCentroAtomThreadpool::symmetry_of(int i, double cutsq, const AtomRows &x,
                                                Scratch &scratch) const
{
  const double *const at = x[i];
  const int *const row = rows->firstneigh[i], nrow = rows->numneigh[i];
  if (static_cast<int>(scratch.neighbors.size()) < nrow) scratch.neighbors.resize(nrow);
  Scratch::Neighbor *const neighbors = scratch.neighbors.data();
  int n = 0;
  for (int jj = 0; jj < nrow; jj++) {
    const double *const other = x[row[jj] & NEIGHMASK];
    const double dx = at[0] - other[0], dy = at[1] - other[1], dz = at[2] - other[2];
    const double rsq = dx * dx + dy * dy + dz * dz;
    if (rsq < cutsq) neighbors[n++] = {rsq, other};
  }
  if (n < nnearest) return 0.0;
  std::nth_element(neighbors, neighbors + (nnearest - 1), neighbors + n);

  double *pair = scratch.pairs.data();
  for (int j = 0; j < nnearest; j++)
    for (int k = j + 1; k < nnearest; k++) {
      const double *const one = neighbors[j].x, *const two = neighbors[k].x;
      const double dx = one[0] + two[0] - 2.0 * at[0], dy = one[1] + two[1] - 2.0 * at[1],
                   dz = one[2] + two[2] - 2.0 * at[2];
      *pair++ = dx * dx + dy * dy + dz * dz;
    }
  const auto begin = scratch.pairs.begin(), half = begin + nnearest / 2;
  std::nth_element(begin, half - 1, scratch.pairs.end());
  return std::accumulate(begin, half, 0.0);
}

/* ---------------------------------------------------------------------- */

double ComputeCentroAtomThreadpool::memory_usage()
{
  return ComputeCentroAtom::memory_usage() + static_cast<double>(values.size() * sizeof(double));
}
