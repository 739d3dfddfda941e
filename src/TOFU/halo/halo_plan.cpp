// SPDX-License-Identifier: GPL-2.0-only

#include "halo_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>

namespace TOFU_NS {

double HaloGeometry::sub_lo(int dim, int loc) const
{
  return boxlo[dim] + prd[dim] * split[dim][loc];
}

/* ---------------------------------------------------------------------- */

double HaloGeometry::sub_hi(int dim, int loc) const
{
  if (loc < procgrid[dim] - 1) return boxlo[dim] + prd[dim] * split[dim][loc + 1];
  return boxhi[dim];
}

/* ---------------------------------------------------------------------- */

int HaloGeometry::locate(int dim, double coord) const
{
  for (int loc = 0; loc < procgrid[dim]; loc++)
    if (coord >= sub_lo(dim, loc) && coord < sub_hi(dim, loc)) return loc;
  return -1;
}

/* ----------------------------------------------------------------------
   of two or, around a periodic box, three sub-boxes each touches all.  Without
   ghosts there need not be links
------------------------------------------------------------------------- */

std::array<double, 3> HaloGeometry::distance_covered_by_adjacent() const
{
  std::array<double, 3> reach;
  for (int dim = 0; dim < 3; dim++) {
    const int n = procgrid[dim], loc = myloc[dim];
    reach[dim] = n > 1 && cutghost[dim] <= 0.0 ? 0.0 : INFINITY;
    if (n <= (periodicity[dim] ? 3 : 2)) continue;
    for (const int adjacent : {loc - 1, loc + 1}) {
      if (!periodicity[dim] && (adjacent < 0 || adjacent == n)) continue;
      const int at = (adjacent + n) % n;
      reach[dim] = std::min(reach[dim], sub_hi(dim, at) - sub_lo(dim, at));
    }
  }
  return reach;
}

namespace {

  enum { BELOW, ABOVE };

  int floor_div(int a, int b)
  {
    return a >= 0 ? a / b : -((-a + b - 1) / b);
  }

  int wrap(int a, int b)
  {
    return a - b * floor_div(a, b);
  }

  /** Distance, in sub-boxes, from which each location of each dimension needs ghosts.  It depends
      only on data that all ranks know, so that a sender knows the ghosts that its receivers
      expect. */
  class Need {
   public:
    explicit Need(const HaloGeometry &geometry) : geometry_(geometry)
    {
      for (int dim = 0; dim < 3; dim++) {
        need_[dim].resize(geometry.procgrid[dim]);
        if (dim == 2 && geometry.dimension == 2) continue;
        for (int loc = 0; loc < geometry.procgrid[dim]; loc++) {
          need_[dim][loc][BELOW] = count(dim, loc, BELOW);
          need_[dim][loc][ABOVE] = count(dim, loc, ABOVE);
        }
      }
    }

    int operator()(int dim, int loc, int side) const { return need_[dim][loc][side]; }

    int largest(int dim) const
    {
      int result = 0;
      for (const auto &sides : need_[dim]) result = std::max({result, sides[BELOW], sides[ABOVE]});
      return result;
    }

   private:
    int count(int dim, int loc, int side) const
    {
      const int n = geometry_.procgrid[dim];
      const bool periodic = geometry_.periodicity[dim];
      const int room = side == BELOW ? loc : n - 1 - loc;    // before a non-periodic boundary
      if (geometry_.uniform) {
        const double ratio = geometry_.cutghost[dim] * n / geometry_.prd[dim];
        const int all = static_cast<int>(ratio) + 1;
        return periodic ? all : std::min(all, room);
      }

      // walk until the sub-boxes passed are together wider than the cut-off

      const double wanted = geometry_.cutghost[dim] / geometry_.prd[dim];
      double passed = 0.0;
      int steps = 0;
      while (passed < wanted && (periodic || steps < room)) {
        steps++;
        const int at = wrap(side == BELOW ? loc - steps : loc + steps, n);
        passed += geometry_.split[dim][at + 1] - geometry_.split[dim][at];
      }
      return steps;
    }

    const HaloGeometry &geometry_;
    std::array<std::vector<std::array<int, 2>>, 3> need_;
  };

  /** True if the rank at `loc` gets ghosts from the one at loc - offset, along one dimension. */
  bool receives(const HaloGeometry &geometry, const Need &need, int dim, int loc, int offset)
  {
    const int from = loc - offset;
    if (!geometry.periodicity[dim] && (from < 0 || from >= geometry.procgrid[dim])) return false;
    if (offset > 0) return offset <= need(dim, loc, BELOW);
    if (offset < 0) return -offset <= need(dim, loc, ABOVE);
    return true;
  }

  bool sends(const HaloGeometry &geometry, const Need &need, int dim, int loc, int offset)
  {
    const int to = loc + offset;
    if (!geometry.periodicity[dim] && (to < 0 || to >= geometry.procgrid[dim])) return false;
    return receives(geometry, need, dim, wrap(to, geometry.procgrid[dim]), offset);
  }

  using Location = std::array<int, 3>;

  Location shifted(const HaloGeometry &geometry, const Location &offset, int sign)
  {
    Location at;
    for (int dim = 0; dim < 3; dim++)
      at[dim] = wrap(geometry.myloc[dim] + sign * offset[dim], geometry.procgrid[dim]);
    return at;
  }

  /** Box lengths that bring an atom of mine into the frame of the receiver. */
  void set_pbc(const HaloGeometry &geometry, HaloSwap &swap)
  {
    for (int dim = 0; dim < 3; dim++)
      swap.pbc[dim] = -floor_div(geometry.myloc[dim] + swap.offset[dim], geometry.procgrid[dim]);
    swap.finish_pbc();
  }

  HaloSwap make_swap(const HaloGeometry &geometry, const Need &need, const Location &offset,
                     const RankMap &ranks)
  {
    HaloSwap swap;
    swap.offset = offset;
    bool sending = true, receiving = true;
    for (int dim = 0; dim < 3; dim++) {
      sending = sending && sends(geometry, need, dim, geometry.myloc[dim], offset[dim]);
      receiving = receiving && receives(geometry, need, dim, geometry.myloc[dim], offset[dim]);
    }
    const Location to = shifted(geometry, offset, 1), from = shifted(geometry, offset, -1);
    if (sending) swap.sendproc = ranks.at(to[0], to[1], to[2]);
    if (receiving) swap.recvproc = ranks.at(from[0], from[1], from[2]);
    set_pbc(geometry, swap);
    return swap;
  }

  int shell_of(const Location &offset)
  {
    return std::abs(offset[0]) + std::abs(offset[1]) + std::abs(offset[2]);
  }

  /** All non-zero shifts that any rank may need, nearest shell first. */
  std::vector<Location> offsets_by_shell(const Need &need)
  {
    const int nx = need.largest(0), ny = need.largest(1), nz = need.largest(2);
    std::vector<Location> offsets;
    for (int dz = -nz; dz <= nz; dz++)
      for (int dy = -ny; dy <= ny; dy++)
        for (int dx = -nx; dx <= nx; dx++)
          if (dx || dy || dz) offsets.push_back({dx, dy, dz});

    std::stable_sort(offsets.begin(), offsets.end(), [](const Location &a, const Location &b) {
      return shell_of(a) < shell_of(b);
    });
    return offsets;
  }

  void add_to_stage(HaloStage &stage, const std::vector<HaloSwap> &swaps, int first, int last,
                    int me)
  {
    auto peer = [&](int rank) -> HaloPeer & {
      auto place = std::find_if(stage.peers.begin(), stage.peers.end(),
                                [&](const HaloPeer &p) { return p.rank >= rank; });
      if (place == stage.peers.end() || place->rank != rank)
        place = stage.peers.insert(place, HaloPeer{rank, {}, {}});
      return *place;
    };
    for (int i = first; i < last; i++) {
      if (swaps[i].sendproc == me) stage.self.push_back(i);
      if (swaps[i].sendproc >= 0 && swaps[i].sendproc != me)
        peer(swaps[i].sendproc).sends.push_back(i);
      if (swaps[i].recvproc >= 0 && swaps[i].recvproc != me)
        peer(swaps[i].recvproc).recvs.push_back(i);
    }
  }

  std::vector<HaloSwap> direct_swaps(const HaloGeometry &geometry, const Need &need,
                                     const RankMap &ranks)
  {
    std::vector<HaloSwap> swaps;
    for (const Location &offset : offsets_by_shell(need)) {
      HaloSwap swap = make_swap(geometry, need, offset, ranks);
      if (swap.sendproc >= 0 || swap.recvproc >= 0) swaps.push_back(swap);
    }
    return swaps;
  }

  /** True if the sender is an upper neighbor of the receiver. */
  bool goes_down(const Location &offset)
  {
    for (int dim = 2; dim > 0; dim--)
      if (offset[dim] != 0) return offset[dim] < 0;
    return offset[0] < 0;
  }

  /** Per dimension: locations that a swap of the direct pattern goes to, or comes from, and over
      how many sub-boxes on the shortest way. */
  using Reached = std::array<std::map<int, int>, 3>;

  Reached reached(const HaloGeometry &geometry, const Need &need, bool sending)
  {
    Reached result;
    for (int dim = 0; dim < 3; dim++) {
      const int loc = geometry.myloc[dim], n = geometry.procgrid[dim], most = need.largest(dim);
      for (int m = -most; m <= most; m++) {
        if (!(sending ? sends : receives)(geometry, need, dim, loc, m)) continue;
        const auto place = result[dim].insert({wrap(sending ? loc + m : loc - m, n), std::abs(m)});
        place.first->second = std::min(place.first->second, std::abs(m));
      }
    }
    return result;
  }

  /** The ranks at the other ends of all swaps of the direct pattern, of which there may be far too
      many to make a list. */
  std::map<int, int> hops_to_neighbors(const HaloGeometry &geometry, const Need &need, int me,
                                       const RankMap &ranks)
  {
    std::map<int, int> hops;
    for (const bool sending : {true, false}) {
      const Reached at = reached(geometry, need, sending);
      for (const auto &[x, nx] : at[0])
        for (const auto &[y, ny] : at[1])
          for (const auto &[z, nz] : at[2]) {
            const int rank = ranks.at(x, y, z);
            if (rank == me) continue;
            const auto place = hops.insert({rank, nx + ny + nz});
            place.first->second = std::min(place.first->second, nx + ny + nz);
          }
    }
    return hops;
  }

  /** Common part of both patterns: links, signature, edges of the receivers. */
  HaloPlan common(const HaloGeometry &geometry, const Need &need, int me, const RankMap &ranks)
  {
    HaloPlan plan;
    for (const auto &[rank, nhops] : hops_to_neighbors(geometry, need, me, ranks)) {
      plan.neighbors.push_back(rank);
      plan.hops.push_back(nhops);
    }

    plan.complete = true;
    for (int dim = 0; dim < 3; dim++) {
      const int n = geometry.procgrid[dim], loc = geometry.myloc[dim];
      const bool periodic = geometry.periodicity[dim];

      // both sides must need each other: then the same holds for the product of the dimensions

      for (int a = 0; a < n && plan.complete; a++) {
        for (int b = 0; b < a; b++) {
          const int gap = a - b, around = n - gap;
          bool near = gap <= need(dim, a, BELOW) && gap <= need(dim, b, ABOVE);
          if (periodic)
            near = near || (around <= need(dim, a, ABOVE) && around <= need(dim, b, BELOW));
          plan.complete = plan.complete && near;
        }
      }

      // the nearest receivers begin where this sub-box ends; beyond, count on in box lengths

      for (int m = 1; m <= need.largest(dim); m++) {
        const int up = loc + m, down = loc - m;
        plan.above[dim].push_back(m == 1 ? geometry.sub_hi(dim, loc)
                                         : geometry.sub_lo(dim, wrap(up, n)) +
                                          floor_div(up, n) * geometry.prd[dim]);
        plan.below[dim].push_back(m == 1 ? geometry.sub_lo(dim, loc)
                                         : geometry.sub_hi(dim, wrap(down, n)) +
                                          floor_div(down, n) * geometry.prd[dim]);
      }

      plan.signature.push_back(n);
      plan.signature.push_back(periodic);
      for (int at = 0; at < n; at++) {
        plan.signature.push_back(need(dim, at, BELOW));
        plan.signature.push_back(need(dim, at, ABOVE));
      }
    }
    append_fingerprint(ranks.bits(), plan.signature);
    return plan;
  }

}    // namespace

/* ---------------------------------------------------------------------- */

void HaloSwap::finish_pbc()
{
  pbc[3] = pbc[4] = pbc[2];    // yz and xz come with z
  pbc[5] = pbc[1];             // xy comes with y
  pbc_flag = pbc[0] || pbc[1] || pbc[2];
}

/* ---------------------------------------------------------------------- */

HaloStage HaloPlan::make_stage(const std::vector<HaloSwap> &swaps, int first, int last, int me)
{
  HaloStage stage;
  stage.first = first;
  stage.last = last;
  add_to_stage(stage, swaps, first, last, me);
  return stage;
}

/* ---------------------------------------------------------------------- */

HaloPlan HaloPlan::direct(const HaloGeometry &geometry, int me, const RankMap &ranks, bool half)
{
  const Need need(geometry);
  HaloPlan plan = common(geometry, need, me, ranks);
  plan.half = half;
  for (const HaloSwap &swap : direct_swaps(geometry, need, ranks))
    (!half || goes_down(swap.offset) ? plan.swaps : plan.upward).push_back(swap);
  plan.stages.push_back(make_stage(plan.swaps, 0, static_cast<int>(plan.swaps.size()), me));
  plan.set_fractions(geometry);
  return plan;
}

/* ---------------------------------------------------------------------- */

std::vector<int> HaloPlan::neighbors_of(const HaloGeometry &geometry, int rank,
                                        const RankMap &ranks)
{
  std::vector<int> found;
  for (const auto &[other, nhops] : hops_to_neighbors(geometry, Need(geometry), rank, ranks))
    found.push_back(other);
  return found;
}

/* ----------------------------------------------------------------------
   x, y, z one after the other; in the k-th round of a dimension a rank
   forwards what it got in the round before, so that the k-th neighbor
   beyond gets it; down and up of a round are independent of each other
------------------------------------------------------------------------- */

HaloPlan HaloPlan::staged(const HaloGeometry &geometry, int me, const RankMap &ranks)
{
  const Need need(geometry);
  HaloPlan plan = common(geometry, need, me, ranks);
  plan.forwards = true;
  for (int dim = 0; dim < 3; dim++) {
    for (int round = 1; round <= need.largest(dim); round++) {
      const int first = static_cast<int>(plan.swaps.size());
      for (int sign : {-1, 1}) {
        Location offset{};
        offset[dim] = sign;
        HaloSwap swap = make_swap(geometry, need, offset, ranks);

        // the receiver has to want the round-th neighbor, although the adjacent one sends it

        const int loc = geometry.myloc[dim], n = geometry.procgrid[dim];
        const int side = sign > 0 ? BELOW : ABOVE;
        if (need(dim, wrap(loc + sign, n), side) < round) swap.sendproc = -1;
        if (need(dim, loc, side) < round) swap.recvproc = -1;
        plan.swaps.push_back(swap);
      }
      plan.stages.push_back(make_stage(plan.swaps, first, first + 2, me));
    }
  }
  plan.set_fractions(geometry);
  return plan;
}

/* ---------------------------------------------------------------------- */

HaloReach HaloPlan::reach_of(const HaloGeometry &geometry)
{
  const Need need(geometry);
  return {need.largest(0), need.largest(1), need.largest(2)};
}

/* ----------------------------------------------------------------------
   what comes from the opposite side is taken to be as much
------------------------------------------------------------------------- */

void HaloPlan::set_fractions(const HaloGeometry &geometry)
{
  for (HaloSwap &swap : swaps) {
    double fraction = 1.0;
    bool before = forwards;    // dimensions whose ghosts are there
    for (int dim = 0; dim < 3; dim++) {
      const int loc = geometry.myloc[dim];
      const double lo = geometry.sub_lo(dim, loc), hi = geometry.sub_hi(dim, loc);
      const double cut = geometry.cutghost[dim];
      const int m = swap.offset[dim];
      double width = hi - lo;
      if (m > 0) width = std::min(width, hi - above[dim][m - 1] + cut);
      if (m < 0) width = std::min(width, below[dim][-m - 1] + cut - lo);
      if (m != 0) before = false;
      if (before) width += 2.0 * cut;
      fraction *= std::max(width, 0.0) / geometry.prd[dim];
    }
    swap.sent_fraction = swap.received_fraction = fraction;
  }
}

/* ---------------------------------------------------------------------- */

void HaloPlan::add_partners(const std::vector<HaloSwap> &partners, int me)
{
  drop_partners();
  without_partners_ = stages;
  HaloStage &stage = stages.back();
  const int first = stage.last;
  swaps.insert(swaps.end(), partners.begin(), partners.end());
  stage.last = static_cast<int>(swaps.size());
  add_to_stage(stage, swaps, first, stage.last, me);
}

/* ---------------------------------------------------------------------- */

bool HaloPlan::drop_partners()
{
  const bool any = has_appended() || !without_partners_.empty();
  drop_appended();
  if (without_partners_.empty()) return any;
  stages = std::move(without_partners_);
  without_partners_.clear();
  swaps.resize(stages.back().last);
  return any;
}

/* ----------------------------------------------------------------------
   first and last of a stage stay: they are for borders(), which knows the
   pattern alone
------------------------------------------------------------------------- */

void HaloPlan::append(const std::vector<HaloSwap> &direct, const std::vector<HaloSwap> &forwarded,
                      int me)
{
  drop_appended();
  pattern_ = stages;
  const int first = static_cast<int>(swaps.size());
  swaps.insert(swaps.end(), direct.begin(), direct.end());
  const int middle = static_cast<int>(swaps.size());
  add_to_stage(stages.back(), swaps, first, middle, me);
  swaps.insert(swaps.end(), forwarded.begin(), forwarded.end());
  if (!forwarded.empty())
    stages.push_back(make_stage(swaps, middle, static_cast<int>(swaps.size()), me));
}

/* ---------------------------------------------------------------------- */

void HaloPlan::drop_appended()
{
  if (pattern_.empty()) return;
  stages = std::move(pattern_);
  pattern_.clear();
  swaps.resize(stages.back().last);
}

}    // namespace TOFU_NS
