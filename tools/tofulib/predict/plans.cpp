// SPDX-License-Identifier: GPL-2.0-only
//
// C interface to the plans of src/TOFU/halo and src/TOFU/balance, for tools/tofu predict
// (plans.py).
//
// A function leaves its result in two lists, which tofu_plans_integers() and tofu_plans_reals()
// return; they are valid until the next call of any function.  Not thread-safe.  Ranks of a grid of
// sub-boxes are numbered along z first, as in LAMMPS.

#include "balance/ring_plan.h"
#include "halo/tiled_plan.h"

using namespace TOFU_NS;

namespace {

std::vector<std::int64_t> integers;
std::vector<double> reals;

void clear()
{
  integers.clear();
  reals.clear();
}

HaloGeometry geometry_of(const double *box, const double *cut, const int *periodic)
{
  HaloGeometry geometry;
  for (int dim = 0; dim < 3; dim++) {
    geometry.prd[dim] = geometry.boxhi[dim] = box[dim];
    geometry.cutghost[dim] = cut[dim];
    geometry.periodicity[dim] = periodic[dim];
  }
  return geometry;
}

}    // namespace

extern "C" {

std::size_t tofu_plans_integers(const std::int64_t **list)
{
  *list = integers.data();
  return integers.size();
}

std::size_t tofu_plans_reals(const double **list)
{
  *list = reals.data();
  return reals.size();
}

/** HaloPlan of one rank in a grid.

    \param grid       # of ranks per dimension
    \param place      of the rank
    \param walls      grid[0]+1, grid[1]+1, grid[2]+1 fractions of the box from 0 to 1; nullptr:
                      all sub-boxes have the same size
    \param pattern    0: direct, full shell; 1: direct, half shell; 2: staged
    \return  integers: # of swaps, for each swap its stage, offset, receiver and sender (-1: none),
             then the neighbors; reals: for each swap the volume that is sent, in boxes */
void tofu_plans_halo(const int *grid, const int *place, const double *box, const double *cut,
                     const int *periodic, const double *walls, int pattern)
{
  HaloGeometry geometry = geometry_of(box, cut, periodic);
  geometry.uniform = walls == nullptr;
  std::array<std::vector<double>, 3> splits;
  for (int dim = 0; dim < 3; dim++) {
    geometry.procgrid[dim] = grid[dim];
    geometry.myloc[dim] = place[dim];
    for (int i = 0; i <= grid[dim]; i++)
      splits[dim].push_back(walls ? *walls++ : static_cast<double>(i) / grid[dim]);
    geometry.split[dim] = splits[dim].data();
  }
  const RankMap ranks(geometry.procgrid,
                      [&](int x, int y, int z) { return (x * grid[1] + y) * grid[2] + z; });
  const int me = ranks.at(place[0], place[1], place[2]);
  const HaloPlan plan = pattern == 2 ? HaloPlan::staged(geometry, me, ranks)
                                     : HaloPlan::direct(geometry, me, ranks, pattern == 1);
  clear();
  integers.push_back(static_cast<std::int64_t>(plan.swaps.size()));
  for (std::size_t stage = 0; stage < plan.stages.size(); stage++)
    for (int i = plan.stages[stage].first; i < plan.stages[stage].last; i++) {
      const HaloSwap &swap = plan.swaps[i];
      const auto &[dx, dy, dz] = swap.offset;
      integers.insert(integers.end(),
                      {static_cast<std::int64_t>(stage), dx, dy, dz, swap.sendproc, swap.recvproc});
      reals.push_back(swap.sent_fraction);
    }
  integers.insert(integers.end(), plan.neighbors.begin(), plan.neighbors.end());
}

/** What all ranks of a tiled layout send.

    \param fractions   [nranks][6] lower and upper corner of each sub-box, as fractions of the box
    \param half        ghosts come from upper neighbors only
    \return  integers: for each swap sender, receiver, and shift of the receiver's image in box
             lengths; reals: for each swap the volume that is sent, in boxes */
void tofu_plans_tiles(int nranks, const double *fractions, const double *box, const double *cut,
                      const int *periodic, int half)
{
  std::vector<TileBox> boxes(nranks);
  for (TileBox &one : boxes)
    for (auto *corner : {&one.lo, &one.hi})
      for (double &fraction : *corner) fraction = *fractions++;
  const Tiles tiles(boxes);
  const TiledGeometry geometry{geometry_of(box, cut, periodic), &tiles};
  clear();
  for (int me = 0; me < nranks; me++)
    for (const HaloSwap &swap : tiled_plan(geometry, me, half).swaps) {
      if (swap.sendproc < 0) continue;
      integers.insert(integers.end(),
                      {me, swap.sendproc, -swap.pbc[0], -swap.pbc[1], -swap.pbc[2]});
      reals.push_back(swap.sent_fraction);
    }
}

/** The ring of fix ring_balance.

    \return  integers: whether it is closed, then all ranks in its order */
void tofu_plans_ring(const int *grid, const int *periodic)
{
  const RankRing ring =
      serpentine_ring({grid[0], grid[1], grid[2]}, {periodic[0], periodic[1], periodic[2]},
                      [&](int x, int y, int z) { return (x * grid[1] + y) * grid[2] + z; });
  clear();
  integers.push_back(ring.closed);
  integers.insert(integers.end(), ring.order.begin(), ring.order.end());
}

/** Transfers of fix ring_balance, in both directions of the ring.

    \param order    [nranks] of the ring
    \param closed   whether the last rank is linked to the first
    \param work     [nranks] units of work by rank
    \param nodes    [nranks] node of each rank for level node; nullptr: level rank
    \return  integers: for each transfer donor, receiver and units of work */
void tofu_plans_transfers(int nranks, const int *order, int closed, const std::int64_t *work,
                          const int *nodes)
{
  const RankRing ring{{order, order + nranks}, closed != 0};
  const std::vector<std::int64_t> loads(work, work + nranks);
  const std::vector<Transfer> transfers = nodes
      ? plan_nodes(ring, {nodes, nodes + nranks}, loads, RingDirection::BOTH)
      : plan_ring(ring, loads, RingDirection::BOTH);
  clear();
  for (const Transfer &one : transfers)
    integers.insert(integers.end(), {one.from, one.to, one.amount});
}

}    // extern "C"
