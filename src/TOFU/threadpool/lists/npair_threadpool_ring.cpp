/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// Rows that one rank makes for another (fix ring/balance).
//
// A pair of a given atom and another one is found by two ranks, which have to agree in whose row a
// half list has it.  region_transfer.h says so of two atoms of the donor.  For an atom of the donor
// and a ghost the rule of the lists without the fix holds, which the other owner uses as well: it
// looks at coordinates, and these are the donor's here, to the last bit.  If ghosts come from upper
// neighbors only, the donor has the pairs with all of them.

#include "npair_threadpool-part.h"

#include "lammps/ring_neigh_list.h"
#include "threadpool/pool/rank_pool.h"

#include "atom.h"
#include "domain.h"
#include "neigh_list.h"
#include "neighbor.h"

#include "balance/region_transfer.h"
#include "kernels/neighbor/cell_grid.h"
#include "pool/thread_pool.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

bool NPairThreadpool::can_make_received(const NeighList *list) const
{
  return can_build(list) && !sizes && !list->history && pairs != Pairs::HALF_ALL_GHOSTS &&
      molecular == Atom::ATOMIC;
}

/* ---------------------------------------------------------------------- */

void NPairThreadpool::reset_received()
{
  const int padding = RankPool::of(lmp)->row_padding();
  for (const auto &part : parts) part->received.reset(padding);
}

/* ---------------------------------------------------------------------- */

void NPairThreadpool::add_received(const ReceivedRegion &region, const std::vector<int> &local,
                                   RingNeighList &to)
{
  RankPool *const rank_pool = RankPool::of(lmp);
  const int nparts = static_cast<int>(parts.size()), ngiven = region.ngiven();
  std::vector<char> high(pairs == Pairs::FULL ? 0 : region.natoms(), 1);
  CellGrid::Atoms atoms;
  atoms.natoms = region.natoms();
  if (pairs == Pairs::FULL) {
    atoms.x = positions_here(local);
    atoms.names = local.data();
  } else {
    std::fill_n(high.begin(), ngiven, 0);
    atoms.x = region.x();
    atoms.high = high.data();
  }
  region_grid->sort(atoms, neighbor->cutneighmax, rank_pool->parts());
  received.resize(ngiven);
  rank_pool->pool().run(nparts, [&](int part) {
    for (int k = begin_of_share(part, nparts, ngiven); k < begin_of_share(part + 1, nparts, ngiven);
         k++)
      received[k] = pairs == Pairs::FULL ? make_full_row(k, local[k], *parts[part])
                                         : make_half_row(region, local, k, *parts[part]);
  });
  for (int k = 0; k < ngiven; k++) to.add(local[k], received[k].n, received[k].entries);
}

/* ---------------------------------------------------------------------- */

const double *NPairThreadpool::positions_here(const std::vector<int> &local)
{
  local_x.resize(3 * local.size());
  double *to = local_x.data();
  for (int i : local) to = std::copy_n(atom->x[i], 3, to);
  return local_x.data();
}

/* ----------------------------------------------------------------------
   the grid has the atoms by the names that they have here
------------------------------------------------------------------------- */

NPairThreadpool::ReceivedRow NPairThreadpool::make_full_row(int k, int i, Part &part) const
{
  const int far = atom->nlocal + atom->nghost;
  std::vector<int> &found = part.found;
  CellGrid::Doubts doubts;
  int n = region_grid->neighbors(k, widest[atom->type[i]], false, found, doubts);
  n = keep_allowed(
      i, atom->x[i], doubts.distance, found, n, [](int j) { return j; },
      [this](int j) { return atom->x[j]; });
  int *const row = part.received.row(n, far);
  std::copy_n(found.begin(), n, row);
  return {row, n};
}

/* ----------------------------------------------------------------------
   indices are those of the region until the row is complete
------------------------------------------------------------------------- */

NPairThreadpool::ReceivedRow NPairThreadpool::make_half_row(const ReceivedRegion &region,
                                                            const std::vector<int> &local, int k,
                                                            Part &part) const
{
  const int far = atom->nlocal + atom->nghost, i = local[k];
  std::vector<int> &found = part.found;
  const auto x = [&](int m) {
    return region.x() + 3 * static_cast<std::size_t>(m);
  };
  CellGrid::Doubts doubts;
  int n = region_grid->neighbors(k, widest[atom->type[i]], true, found, doubts);
  n = keep_received_pairs(region, k, found, n);
  n = keep_allowed(
      i, x(k), doubts.distance, found, n, [&](int m) { return local[m]; }, x);
  int *const row = part.received.row(n, far);
  for (int m = 0; m < n; m++) row[m] = local[found[m]];
  return {row, n};
}

/* ----------------------------------------------------------------------
   atoms of the region are given ones, those on the seam, those given elsewhere,
   and ghosts of the donor
------------------------------------------------------------------------- */

int NPairThreadpool::keep_received_pairs(const ReceivedRegion &region, int k,
                                         std::vector<int> &found, int n) const
{
  const int nseam = region.nseam(), nowned = region.nowned();
  const auto tag = [&](int m) {
    return static_cast<tagint>(region.table()[m].id);
  };
  const auto x = [&](int m) {
    return region.x() + 3 * static_cast<std::size_t>(m);
  };
  if (nseam < nowned)
    n = keep_if(found, n,
                [&](int m) { return m < nseam || m >= nowned || pair_belongs_to(tag(k), tag(m)); });
  if (some_ghosts)
    n = keep_own_ghosts(
        tag(k), x(k), found, n, [=](int m) { return m >= nowned; }, tag, x);
  return n;
}

/* ---------------------------------------------------------------------- */

void NPairThreadpool::extend_rows(NeighList *list)
{
  const int nlocal = atom->nlocal, nall = nlocal + atom->nghost;
  if (static_cast<int>(special_counts.size()) < atom->nmax) special_counts.resize(atom->nmax);
  std::fill(special_counts.begin() + nlocal, special_counts.begin() + nall, 0);
  if (nall == nall_built) return;
  nall_built = nall;
  const int padding = RankPool::of(lmp)->row_padding();
  for (int i = 0; i < nlocal; i++)
    std::fill_n(list->firstneigh[i] + list->numneigh[i], padding, nall);
}
