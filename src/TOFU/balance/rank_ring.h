// SPDX-License-Identifier: GPL-2.0-only
//
// RankRing: the order in which ranks hand work to one another.  Neighbors on the ring are neighbors
// in space, so that an atom that is computed by the next rank is a ghost there anyway, or nearly.
//
// Source: serpentine scan over the grid of ranks, DPLR at 51 ns/day, section 3.3; with a lane for
// the way back wherever there is one, so that the last rank is next to the first.

#ifndef TOFU_BALANCE_RANK_RING_H
#define TOFU_BALANCE_RANK_RING_H

#include "sub_box.h"

#include <array>
#include <functional>
#include <vector>

namespace TOFU_NS {

/** All ranks, each once. */
struct RankRing {
  std::vector<int> order;    // [nranks]
  bool closed;               // whether the last is linked to the first, by a link of its own
};

/** A walk through the grid of ranks in which each shares a face with the next.  It is closed,
    through a periodic boundary if need be, unless the grid has none: that is so in one
    dimension without periodicity, if all three numbers of ranks are odd without periodicity in a
    dimension that is cut, and for one or two ranks.

    \param procgrid      # of ranks per dimension
    \param periodicity   0 or 1 per dimension
    \param rank_of       location in the grid -> rank */
RankRing serpentine_ring(const std::array<int, 3> &procgrid, const std::array<int, 3> &periodicity,
                         const std::function<int(int, int, int)> &rank_of);

/** A walk through sub-boxes that are no grid: those on one side of a cut come before those on the
    other, and of the two sides that one first which is nearer to where the walk has come.  Most
    share a face with the next.  Closed from three ranks on.

    \param boxes   of all ranks */
RankRing ring_of_boxes(const std::vector<SubBox> &boxes);

/** The ring of a file.  Closed from three ranks on.

    Throws:
      std::invalid_argument    not each of nranks ranks is there exactly once; the text names one
                               */
RankRing ring_from_ranks(std::vector<int> ranks, int nranks);

/** [nranks] ranks that may hand work to a rank or get work from it, ascending: all others of its
    node, and those of the two nodes beside it on the ring.

    \param ring           order of the ranks
    \param node_of_rank   [nranks] any numbers, the same for ranks of one node; each rank has its
                          own number if work moves between neighbors on the ring of ranks */
std::vector<std::vector<int>> ring_partners(const RankRing &ring,
                                            const std::vector<int> &node_of_rank);

}    // namespace TOFU_NS

#endif
