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
#include <cmath>
#include <mpi.h>
#include <vector>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

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

void NeighborCheck::hold()
{
  std::copy_n(domain->boxlo, 3, boxlo_hold);
  std::copy_n(domain->boxhi, 3, boxhi_hold);
  held = LastBuild::of(neighbor);
}

/* ----------------------------------------------------------------------
   without its own check Neighbor says whether one is due: it has counted the
   step then, while a fix that asks for lists, or a restart file, comes first
------------------------------------------------------------------------- */

bool NeighborCheck::decide(RankPool *threadpool)
{
  if (!neighbor->dist_check || !threadpool) return neighbor->decide();
  const int dist_check = neighbor->dist_check, ago = neighbor->ago;
  neighbor->dist_check = 0;
  const bool due = neighbor->decide();
  neighbor->dist_check = dist_check;
  if (!due || neighbor->ago == ago) return due;
  if (box_moves() && (domain->triclinic || held.is_over(neighbor)))
    return neighbor->check_distance();
  return check_distance(threadpool);
}

/* ---------------------------------------------------------------------- */

bool NeighborCheck::box_moves() const
{
  return domain->box_change &&
      (domain->xperiodic || domain->yperiodic || (domain->dimension == 3 && domain->zperiodic));
}

/* ----------------------------------------------------------------------
   square of the distance that atoms may move: of half the skin, less what the
   corners of an orthogonal box have moved
------------------------------------------------------------------------- */

double NeighborCheck::trigger() const
{
  if (!box_moves()) return 0.25 * neighbor->skin * neighbor->skin;
  const auto distance = [](const double *a, const double *b) {
    const double delx = a[0] - b[0], dely = a[1] - b[1], delz = a[2] - b[2];
    return std::sqrt(delx * delx + dely * dely + delz * delz);
  };
  const double moved = distance(domain->boxlo, boxlo_hold) + distance(domain->boxhi, boxhi_hold);
  const double delta = std::max(0.0, 0.5 * (neighbor->skin - moved));
  return delta * delta;
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
  int moved = *std::max_element(largest.begin(), largest.end()) > trigger();
  if (comm->nprocs > 1) MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT, MPI_MAX, world);
  if (moved && neighbor->ago == std::max(neighbor->every, neighbor->delay)) neighbor->ndanger++;
  return moved;
}
