/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "neighbor_check.h"

#include "fix_on_pool.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "neighbor.h"

#include <algorithm>
#include <mpi.h>

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

static double largest_square(const double *x, const double *hold, int natoms)
{
  constexpr int BLOCK = 64;    // atoms; their squares stay in the first cache
  double largest = 0.0, squares[3 * BLOCK];
  for (int begin = 0; begin < natoms; begin += BLOCK) {
    const int n = std::min(BLOCK, natoms - begin);
    const double *const from = hold + 3 * static_cast<std::size_t>(begin),
                        *const to = x + 3 * static_cast<std::size_t>(begin);
    for (int k = 0; k < 3 * n; k++) squares[k] = (to[k] - from[k]) * (to[k] - from[k]);
    for (int i = 0; i < n; i++)
      largest = std::max(largest, squares[3 * i] + squares[3 * i + 1] + squares[3 * i + 2]);
  }
  return largest;
}

/* ----------------------------------------------------------------------
   without its own check Neighbor says whether one is due: it has counted the
   step then, while a fix that asks for lists, or a restart file, comes first
------------------------------------------------------------------------- */

bool NeighborCheck::decide(RankPool *threadpool) const
{
  if (!neighbor->dist_check || !threadpool) return neighbor->decide();
  const int dist_check = neighbor->dist_check, ago = neighbor->ago;
  neighbor->dist_check = 0;
  const bool due = neighbor->decide();
  neighbor->dist_check = dist_check;
  if (!due || neighbor->ago == ago) return due;
  if (domain->box_change) return neighbor->check_distance();    // which looks at the box, too
  return check_distance(threadpool);
}

/* ----------------------------------------------------------------------
   as Neighbor::check_distance().  NaN is in no comparison, there as well
------------------------------------------------------------------------- */

bool NeighborCheck::check_distance(RankPool *threadpool) const
{
  const int natoms = neighbor->includegroup ? atom->nfirst : atom->nlocal,
            nparts = parts_for_atoms(threadpool, natoms);
  std::vector<double> largest(nparts, 0.0);
  for_parts_of_atoms(threadpool, nparts, natoms, [&](int part, int first, int last) {
    largest[part] = largest_square(atom->x[first], neighbor->get_xhold()[first], last - first);
  });
  int moved =
      *std::max_element(largest.begin(), largest.end()) > 0.25 * neighbor->skin * neighbor->skin;
  if (comm->nprocs > 1) MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT, MPI_MAX, world);
  if (moved && neighbor->ago == std::max(neighbor->every, neighbor->delay)) neighbor->ndanger++;
  return moved;
}
