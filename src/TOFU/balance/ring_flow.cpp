// SPDX-License-Identifier: GPL-2.0-only

#include "ring_flow.h"

#include "least_movement.h"

#include <algorithm>
#include <limits>
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

  /** Per rank, before anything moves. */
  Amount largest_load(const RingWork &ring)
  {
    Amount largest = 0;
    for (int place = 0; place < size_of(ring); place++)
      largest = std::max(largest, divide_up(ring.work[place], ring.nranks[place]));
    return largest;
  }

  /** Flows over the link from a place to the next one of which nothing is handed on. */
  Range bounds(const RingWork &ring, int place)
  {
    const bool last = place == size_of(ring) - 1;
    if (last && !ring.closed) return {0, 0};
    return {-ring.work[last ? 0 : place + 1], ring.work[place]};
  }

  /** What a place must pass on to be left with no more than `limit` per rank. */
  Amount excess(const RingWork &ring, int place, Amount limit)
  {
    return ring.work[place] - ring.nranks[place] * limit;
  }

  /* ----------------------------------------------------------------------
     the smallest largest load
  ------------------------------------------------------------------------- */

  /** Least flow over the last link, with the least over all others; false if it is too much for
      any of them.  The second lap is for what the end of the ring pushes on over its beginning. */
  bool find_least_flow(const RingWork &ring, Amount limit, Amount &flow)
  {
    const int nplaces = size_of(ring);
    flow = bounds(ring, nplaces - 1).lo;
    for (int lap = 0; lap < 2; lap++)
      for (int place = 0; place < nplaces; place++) {
        const Range link = bounds(ring, place);
        flow = std::max(flow + excess(ring, place, limit), link.lo);
        if (flow > link.hi) return false;
      }
    return true;
  }

  /** Largest flow over the last link, the same way backward. */
  Amount largest_flow(const RingWork &ring, Amount limit)
  {
    const int nplaces = size_of(ring);
    Amount flow = bounds(ring, nplaces - 1).hi;
    for (int lap = 0; lap < 2; lap++)
      for (int place = nplaces - 1; place >= 0; place--) {
        const Range link = bounds(ring, place > 0 ? place - 1 : nplaces - 1);
        flow = std::min(flow - excess(ring, place, limit), link.hi);
      }
    return flow;
  }

  /** Between the average and what it is without any movement.  Not below the average: a lap with more
      work than fits would go unnoticed by find_least_flow(). */
  Amount smallest_limit(const RingWork &ring)
  {
    Amount lo = divide_up(total_work(ring), total_ranks(ring)), hi = largest_load(ring), flow;
    while (lo < hi) {
      const Amount limit = lo + (hi - lo) / 2;
      if (find_least_flow(ring, limit, flow))
        hi = limit;
      else
        lo = limit + 1;
    }
    return lo;
  }

  /* ----------------------------------------------------------------------
     the least movement
  ------------------------------------------------------------------------- */

  class RingFlows {
   public:
    RingFlows(const RingWork &ring, Amount limit) : ring_(ring), limit_(limit)
    {
      find_least_flow(ring, limit, last_link_.lo);
      last_link_.hi = largest_flow(ring, limit);
    }

    /** The least movement is a convex function of the flow over the last link.  From a guess, which
        is nearly always right, the search goes on in steps that double until halving what is left
        is faster. */
    Flows least_movement()
    {
      Range left = last_link_;
      Amount flow = left.lo < left.hi ? guess() : left.lo;
      for (Amount step = 1;; step *= step < left.hi - left.lo ? 2 : 1) {
        Flows flows = solve({flow, flow}, {flow, flow}, 1);
        const bool more = left.lo < left.hi && improves(flows, 1);
        const bool less = left.lo < left.hi && !more && improves(flows, -1);
        if (!more && !less) return flows;
        (more ? left.lo : left.hi) = flow + (more ? 1 : -1);
        const Amount middle = left.lo + (left.hi - left.lo) / 2;
        flow = more ? std::min(left.lo + step - 1, middle) : std::max(left.hi - step + 1, middle);
      }
    }

   private:
    const RingWork &ring_;
    const Amount limit_;
    Range last_link_{};
    std::vector<Range> domains_;    // [nlinks] of a solution
    Flows targets_;                 // [nlinks]

    /** Whether one unit more (sign 1) or less (-1) over the last link and some others, whichever they are,
        is less movement.  If neither is, nothing is: L-optimality criterion, K. Murota, Discrete
        Convex Analysis (SIAM 2003), chapter 7. */
    bool improves(const Flows &flows, int sign) const
    {
      constexpr Amount NEVER = std::numeric_limits<Amount>::max() / 2;
      Amount changed = 0, kept = NEVER;    // least movement if this link is among them, if not
      Amount before = flows.back();
      for (int place = 0; place < size_of(ring_); place++) {
        const Amount flow = flows[place], left = ring_.work[place] + before - flow;
        const bool may_give = left > 0, may_keep = left < capacity(place);
        const Range link = bounds(ring_, place);
        const bool may_change = sign > 0 ? flow < link.hi : flow > link.lo;
        const Amount start = (sign > 0 ? may_give : may_keep) ? kept : NEVER;
        const Amount stop = (sign > 0 ? may_keep : may_give) ? changed : NEVER;
        kept = std::min(kept, stop);
        changed = may_change ? std::min(changed, start) + (sign * flow >= 0 ? 1 : -1) : NEVER;
        before = flow;
      }
      return changed < 0;
    }

    /** What flows over the last link between two laps that need not end as they began. */
    Amount guess()
    {
      const int nplaces = size_of(ring_);
      const Flows flows = solve(last_link_, bounds(ring_, nplaces - 1), 2);
      return std::clamp(flows[nplaces - 1], last_link_.lo, last_link_.hi);
    }

    /** Flows over the links of some laps, from one in `start` over the last link before them to one
        in `end` over the last of theirs: forward what can be and what would be best, backward the
        nearest to it that fits what follows. */
    Flows solve(Range start, Range end, int nlaps)
    {
      const int nplaces = size_of(ring_), nlinks = nlaps * nplaces;
      LeastMovement movement(start);
      domains_.resize(nlinks);
      targets_.resize(nlinks);
      for (int link = 0; link < nlinks; link++) {
        const int place = link % nplaces;
        movement.pass(ring_.work[place], capacity(place), bounds(ring_, place));
        domains_[link] = movement.domain();
        targets_[link] = movement.best();
      }

      Flows flows(nlinks);
      for (int link = nlinks - 1; link >= 0; link--) {
        const Range domain{std::max(end.lo, domains_[link].lo),
                           std::min(end.hi, domains_[link].hi)};
        flows[link] = std::clamp(targets_[link], domain.lo, domain.hi);
        const int place = link % nplaces;
        end.lo = flows[link] - ring_.work[place];
        end.hi = end.lo + capacity(place);
      }
      return flows;
    }

    Amount capacity(int place) const { return ring_.nranks[place] * limit_; }
  };

  /* ----------------------------------------------------------------------
     Algorithm 1
  ------------------------------------------------------------------------- */

  /** [nplaces] what each place should be left with: its share of the total.  The remainder goes to those
      that have it already, then to the first ones. */
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

  /** Nobody shall be left with more per rank than there was anywhere before.  Algorithm 1 alone sees to
      that on closed rings of equals; but not at the end of an open ring, where nobody takes
      what is left over, nor where a node with many ranks gives all it has to one with few.  The second
      lap is for those before the beginning of a closed ring. */
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

/* ---------------------------------------------------------------------- */

Flows flows_both_ways(const RingWork &ring)
{
  return RingFlows(ring, smallest_limit(ring)).least_movement();
}

/* ----------------------------------------------------------------------
   the first round is for what flows into the beginning from the end.  Since the goals add up to the
   total, a round without the bounds returns what it was given, and with them what lies within; so
   the second one ends with the flow that it began with
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
