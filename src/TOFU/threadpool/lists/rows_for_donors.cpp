// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "rows_for_donors.h"

#include "lammps/ring_neigh_list.h"
#include "threadpool/pool/rank_pool.h"

#include "atom.h"
#include "neighbor.h"

#include "balance/transfer/region_transfer.h"
#include "kernels/neighbor/cell_grid.h"
#include "pool/thread_pool.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

using Pairs = PairRules::Pairs;

/* ---------------------------------------------------------------------- */

RowsForDonors::RowsForDonors(LAMMPS *lmp, const PairRules &rules_of_list) :
    Pointers(lmp), rules(rules_of_list), grid(new CellGrid)
{
}

RowsForDonors::~RowsForDonors() = default;

/* ---------------------------------------------------------------------- */

void RowsForDonors::reset()
{
  const int padding = RankPool::of(lmp)->row_padding();
  for (const auto &part : parts) part->arena.reset(padding);
}

/* ---------------------------------------------------------------------- */

void RowsForDonors::add(const ReceivedRegion &region, const std::vector<int> &local,
                        RingNeighList &to)
{
  RankPool *const rank_pool = RankPool::of(lmp);
  const int nparts = rank_pool->nparts(), ngiven = region.ngiven();
  const bool full = rules.pairs == Pairs::FULL;
  while (static_cast<int>(parts.size()) < nparts) {
    parts.push_back(std::make_unique<Part>());
    parts.back()->arena.reset(rank_pool->row_padding());
  }
  std::vector<char> high(full ? 0 : region.natoms(), 1);
  CellGrid::Atoms atoms;
  atoms.natoms = region.natoms();
  if (full) {
    atoms.x = positions_here(local);
    atoms.names = local.data();
  } else {
    std::fill_n(high.begin(), ngiven, 0);
    atoms.x = region.x();
    atoms.high = high.data();
  }
  grid->sort(atoms, neighbor->cutneighmax, rank_pool->parts());
  rows.resize(ngiven);
  rank_pool->parts().share(ngiven, [&](int part, int first, int last) {
    for (int k = first; k < last; k++)
      rows[k] = full ? make_full_row(k, local[k], *parts[part])
                     : make_half_row(region, local, k, *parts[part]);
  });
  for (int k = 0; k < ngiven; k++) to.add(local[k], rows[k].n, rows[k].entries);
}

/* ---------------------------------------------------------------------- */

const double *RowsForDonors::positions_here(const std::vector<int> &local)
{
  local_x.resize(3 * local.size());
  double *to = local_x.data();
  for (int i : local) to = std::copy_n(atom->x[i], 3, to);
  return local_x.data();
}

/* ----------------------------------------------------------------------
   the grid has the atoms by the names that they have here
------------------------------------------------------------------------- */

RowsForDonors::Row RowsForDonors::make_full_row(int k, int i, Part &part) const
{
  const int far = atom->nlocal + atom->nghost;
  std::vector<int> &found = part.found;
  CellGrid::Doubts doubts;
  int n = grid->neighbors(k, rules.largest_cutoff(atom->type[i]), false, found, doubts);
  n = rules.keep_allowed(
      i, atom->x[i], doubts.distance, found, n, [](int j) { return j; },
      [this](int j) { return atom->x[j]; });
  int *const row = part.arena.row(n, far);
  std::copy_n(found.begin(), n, row);
  return {row, n};
}

/* ----------------------------------------------------------------------
   indices are those of the region until the row is complete
------------------------------------------------------------------------- */

RowsForDonors::Row RowsForDonors::make_half_row(const ReceivedRegion &region,
                                                const std::vector<int> &local, int k,
                                                Part &part) const
{
  const int far = atom->nlocal + atom->nghost, i = local[k];
  std::vector<int> &found = part.found;
  const auto x = [&](int m) {
    return region.x() + 3 * static_cast<std::size_t>(m);
  };
  CellGrid::Doubts doubts;
  int n = grid->neighbors(k, rules.largest_cutoff(atom->type[i]), true, found, doubts);
  n = keep_received_pairs(region, k, found, n);
  n = rules.keep_allowed(
      i, x(k), doubts.distance, found, n, [&](int m) { return local[m]; }, x);
  int *const row = part.arena.row(n, far);
  for (int m = 0; m < n; m++) row[m] = local[found[m]];
  return {row, n};
}

/* ----------------------------------------------------------------------
   atoms of the region are given ones, those on the seam, those given elsewhere,
   and ghosts of the donor
------------------------------------------------------------------------- */

int RowsForDonors::keep_received_pairs(const ReceivedRegion &region, int k, std::vector<int> &found,
                                       int n) const
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
  if (rules.some_ghosts())
    n = rules.keep_own_ghosts(
        tag(k), x(k), found, n, [=](int m) { return m >= nowned; }, tag, x);
  return n;
}

/* ---------------------------------------------------------------------- */

double RowsForDonors::memory_usage() const
{
  double bytes = grid->nbytes() +
      static_cast<double>(rows.capacity() * sizeof(Row) + local_x.capacity() * sizeof(double));
  for (const auto &part : parts)
    bytes += part->arena.nbytes() + static_cast<double>(part->found.capacity() * sizeof(int));
  return bytes;
}
