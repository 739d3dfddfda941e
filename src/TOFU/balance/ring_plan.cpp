// SPDX-License-Identifier: GPL-2.0-only

#include "ring_plan.h"

#include "ring_flow.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace TOFU_NS {

namespace {

  using Amount = std::int64_t;
  using Loads = std::vector<Amount>;

  std::vector<Amount> flows_of(const RingWork &ring, RingDirection direction)
  {
    return direction == RingDirection::BOTH ? flows_both_ways(ring) : flows_downstream(ring);
  }

  void sort_transfers(std::vector<Transfer> &transfers)
  {
    std::sort(transfers.begin(), transfers.end(), [](const Transfer &a, const Transfer &b) {
      return std::make_pair(a.from, a.to) < std::make_pair(b.from, b.to);
    });
  }

  /* ----------------------------------------------------------------------
     nodes
  ------------------------------------------------------------------------- */

  struct Share {
    int rank;
    Amount amount;
  };
  using Shares = std::vector<Share>;

  /** Work that ranks of a node give to, or take from, the previous and the next node. */
  struct NodeSides {
    Shares to_previous, to_next, from_previous, from_next;
  };

  /** [nnodes] the ranks of each node, in the order of the ring. */
  std::vector<std::vector<int>> nodes_on(const RankRing &ring, const std::vector<int> &node_of_rank)
  {
    std::vector<std::vector<int>> nodes;
    std::map<int, std::size_t> place_of;
    for (int rank : ring.order) {
      const auto [place, is_new] = place_of.emplace(node_of_rank[rank], nodes.size());
      if (is_new) nodes.emplace_back();
      nodes[place->second].push_back(rank);
    }
    return nodes;
  }

  /** Work by node, from the work by rank. */
  RingWork work_of_nodes(const std::vector<std::vector<int>> &nodes, const Loads &work, bool closed)
  {
    RingWork ring{{}, {}, closed && nodes.size() > 2};
    for (const auto &ranks : nodes) {
      ring.work.push_back(0);
      ring.nranks.push_back(static_cast<int>(ranks.size()));
      for (int rank : ranks) ring.work.back() += work[rank];
    }
    return ring;
  }

  /** The largest load per rank of all nodes. */
  Amount largest_load(const RingWork &ring, const std::vector<Amount> &flows)
  {
    Amount largest = 0, came = flows.back();
    for (std::size_t n = 0; n < flows.size(); n++) {
      const Amount load = ring.work[n] + came - flows[n];
      largest = std::max(largest, (load + ring.nranks[n] - 1) / ring.nranks[n]);
      came = flows[n];
    }
    return largest;
  }

  /** Shares to take from the highest loads so that the highest remaining load is as low as
      possible; of equal loads, from the first. */
  Loads off_the_top(const Loads &loads, Amount amount)
  {
    const auto above = [&](Amount level) {
      Amount sum = 0;
      for (Amount load : loads) sum += std::max(Amount{0}, load - level);
      return sum;
    };
    Amount hi = *std::max_element(loads.begin(), loads.end()), lo = hi - amount;
    while (lo < hi) {
      const Amount level = lo + (hi - lo) / 2;
      if (above(level) <= amount)
        hi = level;
      else
        lo = level + 1;
    }
    Loads taken;
    Amount rest = amount - above(hi);
    for (Amount load : loads) {
      const Amount one = load >= hi && rest > 0 ? 1 : 0;
      taken.push_back(std::max(Amount{0}, load - hi) + one);
      rest -= one;
    }
    return taken;
  }

  /** Shares to add to the lowest loads. */
  Loads into_the_valleys(Loads loads, Amount amount)
  {
    for (Amount &load : loads) load = -load;
    return off_the_top(loads, amount);
  }

  void change(Loads &loads, const Loads &by, int sign)
  {
    for (std::size_t n = 0; n < loads.size(); n++) loads[n] += sign * by[n];
  }

  /** The first units of the amounts, in the order of the ranks, and the others. */
  std::pair<Shares, Shares> split(const std::vector<int> &ranks, const Loads &amounts,
                                  Amount nfirst)
  {
    std::pair<Shares, Shares> parts;
    for (std::size_t n = 0; n < ranks.size(); n++) {
      const Amount first = std::min(nfirst, amounts[n]);
      if (first > 0) parts.first.push_back({ranks[n], first});
      if (amounts[n] > first) parts.second.push_back({ranks[n], amounts[n] - first});
      nfirst -= first;
    }
    return parts;
  }

  /** Transfers from givers to takers of the same total, both in their order. */
  void match(const Shares &givers, Shares takers, std::vector<Transfer> &transfers)
  {
    auto taker = takers.begin();
    for (auto [from, left] : givers)
      while (left > 0) {
        const Amount amount = std::min(left, taker->amount);
        transfers.push_back({from, taker->rank, amount});
        left -= amount;
        taker->amount -= amount;
        if (taker->amount == 0) taker++;
      }
  }

  /** Decide which ranks give the work that goes to other nodes and take the work that comes from
      there, and share the work that is then above the limit.

      No rank shares work that has arrived: the ranks that took it had the lowest loads, and are
      then not above the average of the node, hence not above the limit. */
  NodeSides share_node(const std::vector<int> &ranks, const Loads &work, Amount came, Amount goes,
                       Amount limit, std::vector<Transfer> &transfers)
  {
    const auto out = [](Amount flow) {
      return std::max(Amount{0}, flow);
    };
    Loads loads;
    for (int rank : ranks) loads.push_back(work[rank]);

    NodeSides sides;
    const Loads given = off_the_top(loads, out(-came) + out(goes));
    std::tie(sides.to_previous, sides.to_next) = split(ranks, given, out(-came));
    change(loads, given, -1);
    const Loads taken = into_the_valleys(loads, out(came) + out(-goes));
    std::tie(sides.from_previous, sides.from_next) = split(ranks, taken, out(came));
    change(loads, taken, 1);

    Loads surplus;
    for (Amount load : loads) surplus.push_back(out(load - limit));
    change(loads, surplus, -1);
    const Amount total = std::accumulate(surplus.begin(), surplus.end(), Amount{0});
    match(split(ranks, surplus, total).first,
          split(ranks, into_the_valleys(loads, total), total).first, transfers);
    return sides;
  }

}    // namespace

/* ---------------------------------------------------------------------- */

std::vector<Transfer> plan_ring(const RankRing &ring, const std::vector<std::int64_t> &work,
                                RingDirection direction)
{
  const std::size_t nranks = ring.order.size();
  RingWork on_ring{{}, std::vector<int>(nranks, 1), ring.closed && nranks > 2};
  for (int rank : ring.order) on_ring.work.push_back(work[rank]);
  const std::vector<Amount> flows = flows_of(on_ring, direction);

  std::vector<Transfer> transfers;
  for (std::size_t n = 0; n < nranks; n++) {
    const int rank = ring.order[n], next = ring.order[(n + 1) % nranks];
    if (flows[n] > 0) transfers.push_back({rank, next, flows[n]});
    if (flows[n] < 0) transfers.push_back({next, rank, -flows[n]});
  }
  sort_transfers(transfers);
  return transfers;
}

/* ---------------------------------------------------------------------- */

std::vector<Transfer> plan_nodes(const RankRing &ring, const std::vector<int> &node_of_rank,
                                 const std::vector<std::int64_t> &work, RingDirection direction)
{
  const auto nodes = nodes_on(ring, node_of_rank);
  const RingWork on_ring = work_of_nodes(nodes, work, ring.closed);
  const std::vector<Amount> flows = flows_of(on_ring, direction);
  const Amount limit = largest_load(on_ring, flows);

  std::vector<Transfer> transfers;
  std::vector<NodeSides> sides;
  Amount came = flows.back();
  for (std::size_t n = 0; n < nodes.size(); n++) {
    sides.push_back(share_node(nodes[n], work, came, flows[n], limit, transfers));
    came = flows[n];
  }
  for (std::size_t n = 0; n < nodes.size(); n++) {
    const NodeSides &next = sides[(n + 1) % nodes.size()];
    match(sides[n].to_next, next.from_previous, transfers);
    match(next.to_previous, sides[n].from_next, transfers);
  }
  sort_transfers(transfers);
  return transfers;
}

}    // namespace TOFU_NS
