// SPDX-License-Identifier: GPL-2.0-only

#include "ring_flow.h"

#include "least_movement.h"

#include <algorithm>
#include <numeric>

namespace TOFU_NS {

namespace {

  using Amount = std::int64_t;
  using Flows = std::vector<Amount>;
  using Range = LeastMovement::Range;

  int size_of(const RingWork &ring)
  {
    return static_cast<int>(ring.work.size());
  }

  Amount total_work(const RingWork &ring)
  {
    return std::accumulate(ring.work.begin(), ring.work.end(), Amount{0});
  }

  int total_ranks(const RingWork &ring)
  {
    return std::accumulate(ring.nranks.begin(), ring.nranks.end(), 0);
  }

  Amount divide_up(Amount amount, Amount nranks)
  {
    return (amount + nranks - 1) / nranks;
  }

  /** Largest load per rank before any movement. */
  Amount largest_load(const RingWork &ring)
  {
    Amount largest = 0;
    for (int place = 0; place < size_of(ring); place++)
      largest = std::max(largest, divide_up(ring.work[place], ring.nranks[place]));
    return largest;
  }

  /** Bounds of the flow from a place to the next one, so that no unit moves more than one hop. */
  Range bounds(const RingWork &ring, int place)
  {
    const bool last = place == size_of(ring) - 1;
    if (last && !ring.closed) return {0, 0};
    return {-ring.work[last ? 0 : place + 1], ring.work[place]};
  }

  /** Work that a place must pass on to keep no more than `limit` per rank. */
  Amount excess(const RingWork &ring, int place, Amount limit)
  {
    return ring.work[place] - ring.nranks[place] * limit;
  }

  /* ----------------------------------------------------------------------
     the smallest largest load
  ------------------------------------------------------------------------- */

  /** Whether all places can keep no more than `limit` per rank, for limits from the average on.
      Each place passes on no more than it must.  The second lap is for the flow from the end of the
      ring over its beginning. */
  bool is_possible(const RingWork &ring, Amount limit)
  {
    const int nplaces = size_of(ring);
    Amount flow = bounds(ring, nplaces - 1).lo;
    for (int lap = 0; lap < 2; lap++)
      for (int place = 0; place < nplaces; place++) {
        const Range link = bounds(ring, place);
        flow = std::max(flow + excess(ring, place, limit), link.lo);
        if (flow > link.hi) return false;
      }
    return true;
  }

  /** The smallest possible limit, between the average and the largest load without movement. */
  Amount smallest_limit(const RingWork &ring)
  {
    Amount lo = divide_up(total_work(ring), total_ranks(ring)), hi = largest_load(ring);
    while (lo < hi) {
      const Amount limit = lo + (hi - lo) / 2;
      if (is_possible(ring, limit))
        hi = limit;
      else
        lo = limit + 1;
    }
    return lo;
  }

  /* ----------------------------------------------------------------------
     the least movement
  ------------------------------------------------------------------------- */

  /** Flows over the links of some laps with the least movement.  The forward pass finds the range
      and the best value of each flow.  The backward pass takes the value nearest to the best one
      that fits the flow over the next link.

      Args:
        start    flows over the last link before the laps
        end      over the last one in them */
  Flows least_movement(const RingWork &ring, Amount limit, Range start, Range end, int nlaps)
  {
    const int nplaces = size_of(ring), nlinks = nlaps * nplaces;
    const auto capacity = [&](int place) {
      return ring.nranks[place] * limit;
    };
    LeastMovement movement(start);
    std::vector<Range> domains(nlinks);
    Flows flows(nlinks);
    for (int link = 0; link < nlinks; link++) {
      const int place = link % nplaces;
      movement.pass(ring.work[place], capacity(place), bounds(ring, place));
      domains[link] = movement.domain();
      flows[link] = movement.best();
    }
    for (int link = nlinks - 1; link >= 0; link--) {
      const Range domain{std::max(end.lo, domains[link].lo), std::min(end.hi, domains[link].hi)};
      flows[link] = std::clamp(flows[link], domain.lo, domain.hi);
      const int place = link % nplaces;
      end.lo = flows[link] - ring.work[place];
      end.hi = end.lo + capacity(place);
    }
    return flows;
  }

  /* ----------------------------------------------------------------------
     Algorithm 1
  ------------------------------------------------------------------------- */

  /** [nplaces] work that each place should keep: its share of the total.  The remainder goes to
      places that have it already, then to the first ones. */
  std::vector<Amount> goals_of(const RingWork &ring)
  {
    const Amount total = total_work(ring), nranks = total_ranks(ring);
    Amount remainder = total % nranks;
    std::vector<Amount> goals;
    for (int n : ring.nranks) goals.push_back(total / nranks * n);
    for (bool owned : {true, false})
      for (int place = 0; place < size_of(ring); place++) {
        const Amount share = total / nranks * ring.nranks[place];
        Amount more = share + ring.nranks[place] - goals[place];
        if (owned) more = std::clamp(ring.work[place] - share, Amount{0}, more);
        more = std::min(more, remainder);
        goals[place] += more;
        remainder -= more;
      }
    return goals;
  }

  /** Reduce the flows so that no place keeps more per rank than the largest load before.  Algorithm
      1 alone ensures that on closed rings of equal places.  It does not at the end of an open ring,
      where no place takes the remaining work, nor where a node with many ranks gives all its work
      to one with few.  The second lap is for the places before the beginning of a closed ring. */
  void hold_back(const RingWork &ring, Flows &flows)
  {
    const int nplaces = size_of(ring);
    const Amount largest = largest_load(ring);
    for (int lap = 0; lap < 2; lap++)
      for (int place = nplaces - 1; place >= 0; place--) {
        Amount &came = flows[place > 0 ? place - 1 : nplaces - 1];
        came = std::min(came, flows[place] - excess(ring, place, largest));
      }
  }

}    // namespace

/* ----------------------------------------------------------------------
   a closed ring is cut where it begins.  The flow over the cut is that between two laps which need
   not end as they began.  It gave the least movement wherever it was compared with all other flows.
   Few other flows are possible, since with the smallest limit some stretch of the ring is full
------------------------------------------------------------------------- */

Flows flows_both_ways(const RingWork &ring)
{
  const int last = size_of(ring) - 1;
  const Amount limit = smallest_limit(ring);
  Range cut = bounds(ring, last);
  if (ring.closed) cut.lo = cut.hi = least_movement(ring, limit, cut, cut, 2)[last];
  return least_movement(ring, limit, cut, cut, 1);
}

/* ----------------------------------------------------------------------
   the first round finds the flow from the end into the beginning.  Since the goals add up to the
   total, a round without the bounds returns the flow that it was given, and a round with them
   returns that flow clamped to the bounds; so the second round ends with the flow that it began
   with
------------------------------------------------------------------------- */

Flows flows_downstream(const RingWork &ring)
{
  const int nplaces = size_of(ring);
  const std::vector<Amount> goals = goals_of(ring);
  Flows flows(nplaces, 0);
  Amount came = 0;
  for (int round = 0; round < 2; round++)
    for (int place = 0; place < nplaces; place++) {
      came = std::clamp(ring.work[place] - goals[place] + came, Amount{0}, bounds(ring, place).hi);
      flows[place] = came;
    }
  hold_back(ring, flows);
  return flows;
}

}    // namespace TOFU_NS
