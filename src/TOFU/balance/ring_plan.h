// SPDX-License-Identifier: GPL-2.0-only
//
// The plan: amounts of work that ranks compute for other ranks.  Every rank derives the same plan
// from the same numbers.  Arithmetic only: the caller defines a unit of work and selects the atoms.

#ifndef TOFU_BALANCE_RING_PLAN_H
#define TOFU_BALANCE_RING_PLAN_H

#include "rank_ring.h"

#include <cstdint>
#include <vector>

namespace TOFU_NS {

/** Work of one rank that another one does. */
struct Transfer {
  int from, to;           // ranks
  std::int64_t amount;    // units of work, > 0
};

/** BOTH: to the next rank and to the previous one, with the smallest possible largest load and the
    least movement that gives it.  No work is moved only to even out loads below the largest.
    DOWNSTREAM: to the next rank alone, by Algorithm 1 of DPLR at 51 ns/day, section 3.3. */
enum class RingDirection { BOTH, DOWNSTREAM };

/** Transfers between neighbors on the ring.  Each unit moves once at most, so that no rank gives
    more than it owns; the largest load does not grow.

    \param ring        order of the ranks
    \param work        [nranks] units of work by rank, >= 0
    \param direction   to which neighbors work may go

    \return   sorted by from, then to; one per pair of ranks */
std::vector<Transfer> plan_ring(const RankRing &ring, const std::vector<std::int64_t> &work,
                                RingDirection direction);

/** Transfers between nodes that are neighbors on a ring, in the order in which the ring of ranks
    first meets them, and between any ranks of a node.  Loads are compared as work per rank, since
    nodes may have different numbers of ranks.  Each unit moves once at most.

    Work that leaves a node comes from its ranks with the most work, and work that arrives goes to
    those with the least.  Inside a node, ranks then give the work that they have above the largest
    load per rank of all nodes.

    \param ring           order of the ranks
    \param node_of_rank   [nranks] any numbers, the same for ranks of one node
    \param work           [nranks] units of work by rank, >= 0
    \param direction      to which neighbors work may go

    \return   sorted by from, then to; one per pair of ranks */
std::vector<Transfer> plan_nodes(const RankRing &ring, const std::vector<int> &node_of_rank,
                                 const std::vector<std::int64_t> &work, RingDirection direction);

}    // namespace TOFU_NS

#endif
