// SPDX-License-Identifier: GPL-2.0-only
//
// The plan: which rank computes how much of which other rank's work.  Every rank comes to the same
// plan from the same numbers.  Arithmetic only: what a unit of work is, and which atoms go, is the
// caller's.

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

/** BOTH: to the next and to the previous one, with the smallest largest load that there is, and the
    least movement for it.  Nothing is moved only to even out loads below the largest.
    DOWNSTREAM: to the next one alone, by Algorithm 1 of DPLR at 51 ns/day, section 3.3. */
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
    first meets them, and between any ranks of a node.  What counts is work per rank: nodes may have
    different numbers of them.  Each unit moves once at most.

    What leaves a node comes from its ranks with most, what arrives goes to those with least; inside
    a node ranks then give what they have above the largest load per rank of all nodes.

    \param ring           order of the ranks
    \param node_of_rank   [nranks] any numbers, the same for ranks of one node
    \param work           [nranks] units of work by rank, >= 0
    \param direction      to which neighbors work may go

    \return   sorted by from, then to; one per pair of ranks */
std::vector<Transfer> plan_nodes(const RankRing &ring, const std::vector<int> &node_of_rank,
                                 const std::vector<std::int64_t> &work, RingDirection direction);

/** [nranks] units of work by rank after the transfers. */
std::vector<std::int64_t> loads_after(std::vector<std::int64_t> work,
                                      const std::vector<Transfer> &transfers);

}    // namespace TOFU_NS

#endif
