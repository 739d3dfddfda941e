// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "list_rows.h"

#include "npair_threadpool.h"

#include "lammps/ring_neigh_list.h"
#include "threadpool/pool/rank_pool.h"

#include "atom.h"
#include "neigh_list.h"
#include "neighbor.h"

#include "pool/thread_pool.h"

#include <algorithm>
#include <tuple>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

ListRows::ListRows(LAMMPS *lmp) : Pointers(lmp), rank_pool(RankPool::of(lmp)) {}

/* ---------------------------------------------------------------------- */

void ListRows::reset(RankPool *pool_of_rank)
{
  rank_pool = pool_of_rank;
  origin = Origin();
  copy.made_of = shares_of = State();
  shares.forget();
  work_of_parts.clear();
}

/* ---------------------------------------------------------------------- */

bool ListRows::State::operator==(const State &other) const
{
  const auto fields = [](const State &s) {
    return std::tie(s.list, s.build.lastcall, s.build.ncalls, s.nbuilds, s.natoms);
  };
  return fields(*this) == fields(other);
}

/* ---------------------------------------------------------------------- */

const ListRows::Origin &ListRows::origin_of(const NeighList *list) const
{
  if (list != origin.list || list->np != origin.np)
    origin = {list, list->np, list->copy ? nullptr : dynamic_cast<NPairThreadpool *>(list->np),
              dynamic_cast<const RingNeighList *>(list)};
  return origin;
}

/* ---------------------------------------------------------------------- */

ListRows::State ListRows::state_of(const NeighList *list) const
{
  const RingNeighList *const ring = origin_of(list).ring;
  return {list, LastBuild::of(neighbor), ring ? ring->nbuilds : 0, atom->nlocal + atom->nghost};
}

/* ---------------------------------------------------------------------- */

bool ListRows::is_old(const State &made_of, const NeighList *list) const
{
  return made_of.build.is_outdated(neighbor) || !(made_of == state_of(list));
}

/* ----------------------------------------------------------------------
   rows of another build are copied if there are more ghosts now: they end with the
   atom that was behind all others
------------------------------------------------------------------------- */

const PairRows &ListRows::find(NeighList *list, bool keep_shares)
{
  NPairThreadpool *const build = origin_of(list).build;
  const RingNeighList *const ring = origin_of(list).ring;
  const int *const nspecial = build ? build->nspecial() : ring ? ring->nspecial : nullptr;
  const int natoms = build ? build->natoms() : ring ? ring->natoms() : 0;
  if (build) build->make_rows(list);
  if (nspecial && natoms == atom->nlocal + atom->nghost) {
    rows = {list->inum, list->ilist, list->firstneigh, list->numneigh, nspecial};
  } else {
    if (is_old(copy.made_of, list)) copy_rows(list);
    rows = {list->inum, list->ilist, copy.first.data(), list->numneigh, copy.nspecial.data()};
  }
  if (rank_pool->nparts() > 1 && !shares_stay(list, keep_shares)) share_rows(list);
  return rows;
}

/* ---------------------------------------------------------------------- */

const PairRows &ListRows::find_number(NeighList *list, bool keep_shares)
{
  rows = {list->inum};
  if (shares_stay(list, keep_shares)) return rows;
  shares_of = state_of(list);
  work_of_grains.clear();
  if (!work_of_parts.empty()) shares.set_from_cost(work_of_parts);
  work_of_parts.clear();
  return rows;
}

/* ---------------------------------------------------------------------- */

bool ListRows::shares_stay(const NeighList *list, bool keep_shares) const
{
  return keep_shares || !is_old(shares_of, list);
}

/* ----------------------------------------------------------------------
   by vectors of pairs
------------------------------------------------------------------------- */

void ListRows::share_rows(const NeighList *list)
{
  constexpr int TOO_FEW = 250;          // grains of a part that are not worth a fork
  constexpr int VECTOR = 8, ROW = 2;    // ROW: vectors that take as long as what is done once a row
  const int ngrains = (rows.nrows + GRAIN - 1) / GRAIN;
  work_of_grains.assign(ngrains, 0);
  rank_pool->parts().for_work(ngrains, TOO_FEW).share(ngrains, [&](int, int first, int last) {
    for (int n = first * GRAIN; n < std::min(last * GRAIN, rows.nrows); n++)
      work_of_grains[n / GRAIN] += rows.nneighbors[rows.atoms[n]] / VECTOR + ROW;
  });
  shares.deal(work_of_grains, rank_pool->nparts());
  shares_of = state_of(list);
}

/* ---------------------------------------------------------------------- */

bool ListRows::share_again(const std::vector<int> &more)
{
  if (work_of_grains.empty()) return false;
  std::vector<double> cost(more.begin(), more.end());
  for (std::size_t part = 0; part < cost.size(); part++) {
    const Share share = share_of(static_cast<int>(part));
    for (int n = share.first; n < share.last; n += GRAIN) cost[part] += work_of_grains[n / GRAIN];
  }
  shares.set_from_cost(cost);
  return true;
}

/* ---------------------------------------------------------------------- */

ListRows::Share ListRows::share_of(int part) const
{
  const int nparts = rank_pool->nparts();
  return {shares.begin(part, nparts, rows.nrows), shares.begin(part + 1, nparts, rows.nrows)};
}

/* ---------------------------------------------------------------------- */

int ListRows::first_owner(int part) const
{
  if (part == 0) return 0;
  const int row = share_of(part).first;
  return row < rows.nrows ? std::min(rows.atoms[row], atom->nlocal) : atom->nlocal;
}

/* ---------------------------------------------------------------------- */

void ListRows::copy_rows(NeighList *list)
{
  const int nparts = rank_pool->nparts(), nrows = list->inum;
  const std::size_t natoms = atom->nmax;
  copy.arenas.resize(nparts);
  if (copy.first.size() < natoms) {
    copy.first.resize(natoms);
    copy.nspecial.resize(natoms);
  }
  rank_pool->pool().run(nparts, [&](int part) {
    RowArena &arena = copy.arenas[part];
    arena.reset(rank_pool->row_padding());
    const int last = begin_of_share(part + 1, nparts, nrows, GRAIN);
    for (int n = begin_of_share(part, nparts, nrows, GRAIN); n < last; n++)
      copy_row(list, list->ilist[n], arena);
  });
  copy.made_of = state_of(list);
}

/* ---------------------------------------------------------------------- */

void ListRows::copy_row(NeighList *list, int i, RowArena &arena)
{
  const int *const begin = list->firstneigh[i], *const end = begin + list->numneigh[i];
  const auto is_special = [](int entry) {
    return (entry >> SBBITS & 3) != 0;
  };
  int *const row = arena.row(end - begin, atom->nlocal + atom->nghost);
  copy.first[i] = row;
  if (atom->molecular == Atom::ATOMIC) {
    std::copy(begin, end, row);
    copy.nspecial[i] = 0;
    return;
  }
  int *const plain = std::copy_if(begin, end, row, is_special);
  std::remove_copy_if(begin, end, plain, is_special);
  copy.nspecial[i] = static_cast<int>(plain - row);
}

/* ---------------------------------------------------------------------- */

double ListRows::memory_usage() const
{
  double bytes = static_cast<double>(copy.first.capacity() * (sizeof(int *) + sizeof(int)));
  for (const RowArena &arena : copy.arenas) bytes += arena.nbytes();
  return bytes;
}
