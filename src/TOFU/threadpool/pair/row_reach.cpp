// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "row_reach.h"

#include "threadpool/pool/rank_pool.h"

#include "atom.h"

#include "kernels/neighbor/mark_neighbors.h"

#include <vector>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

RowReach::RowReach(LAMMPS *lmp, ListRows &rows) :
    Pointers(lmp), rank_pool(RankPool::of(lmp)), rows_of_lists(rows)
{
}

/* ---------------------------------------------------------------------- */

void RowReach::reset(RankPool *pool_of_rank)
{
  rank_pool = pool_of_rank;
  found = marked = ListRows::State();
}

/* ---------------------------------------------------------------------- */

void RowReach::find(const NeighList *list, const PairRows &rows, const Mark &mark_more)
{
  constexpr int COPY = 16;    // vectors of pairs that take as long as copies and sums of a block
  if (!rows_of_lists.is_old(found, list) || is_marked(list)) return;
  const auto mark = [&](int part, PartReach &of_parts) {
    const ListRows::Share share = rows_of_lists.share_of(part);
    mark_neighbors(rows, share.first, share.last, rank_pool->row_padding(), of_parts.natoms() - 1,
                   PartReach::BLOCK, of_parts.blocks(part));
    if (mark_more) mark_more(part, of_parts);
  };
  find_by_parts(mark);
  std::vector<int> cost;
  for (int part = 0; part < reach.nparts(); part++) cost.push_back(COPY * reach.nblocks_of(part));
  if (rows_of_lists.share_again(cost)) find_by_parts(mark);
  found = rows_of_lists.state_of(list);
}

/* ---------------------------------------------------------------------- */

void RowReach::find_by(const NeighList *list, const Mark &mark)
{
  find_by_parts(mark);
  found = marked = rows_of_lists.state_of(list);
}

/* ----------------------------------------------------------------------
   kernels write to the atom behind all others, too
------------------------------------------------------------------------- */

void RowReach::find_by_parts(const Mark &mark)
{
  const int nparts = rank_pool->nparts();
  reach.resize(nparts, atom->nlocal + atom->nghost + 1);
  rank_pool->parts().run([&](int part) {
    reach.add(part, reach.natoms() - 1);
    mark(part, reach);
  });
  reach.deal();
}
