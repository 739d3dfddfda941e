// SPDX-License-Identifier: GPL-2.0-only
//
// Flows over the links of a ring that even out the loads of its places, each unit of work moving
// one hop at most.  Arithmetic only: the caller decides whether the places are ranks or nodes
// (ring_plan).
//
// Both ways: the smallest possible largest load, with the least movement that gives it.  Flows f[i]
// from place i to the next one must obey, with T the largest load per rank,
//
//     work[i] - nranks[i] T  <=  f[i] - f[i-1]  <=  work[i]        it is left with 0 ... T per rank
//     -work[i+1]             <=  f[i]           <=  work[i]        what came is not handed on
//
// Together the upper bounds say that no rank gives more than it owns.  All are bounds of
// differences: solutions in integers are as good as others, the least movement is a convex
// function of any one flow, and T is feasible unless the work of some stretch of the ring does not
// fit into the stretch and one place on either side.
//
// Downstream: Algorithm 1 of DPLR at 51 ns/day, section 3.3, which does not find the smallest
// largest load where ranks have less than they should hand on.

#ifndef TOFU_BALANCE_RING_FLOW_H
#define TOFU_BALANCE_RING_FLOW_H

#include <cstdint>
#include <vector>

namespace TOFU_NS {

/** Work along a ring. */
struct RingWork {
  std::vector<std::int64_t> work;    // [nplaces] units, >= 0
  std::vector<int> nranks;           // [nplaces] # of ranks that share it, > 0
  bool closed;    // whether the last is linked to the first; three places at least
};

/** [nplaces] flow from each place to the next one; negative: from the next one to it.  The last
    entry is the flow from the last place to the first, 0 if the ring is open. */
std::vector<std::int64_t> flows_both_ways(const RingWork &ring);
std::vector<std::int64_t> flows_downstream(const RingWork &ring);

}    // namespace TOFU_NS

#endif
