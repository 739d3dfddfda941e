// SPDX-License-Identifier: GPL-2.0-only
//
// Comparison of the two patterns of a HaloPlan: estimates which one moves ghosts faster, by
// counting and arithmetic.
//
// The direct pattern has one round of messages, and (2n+1)^3-1 swaps where ghosts come from n
// sub-boxes away in each dimension.  Where a rank is its own neighbor, or its neighbors are few, it
// also sends the same atoms many times, once for each image.  The staged pattern has 6n swaps in 3n
// rounds, one after the other.

#ifndef TOFU_HALO_PATTERN_COST_H
#define TOFU_HALO_PATTERN_COST_H

#include "halo_plan.h"

namespace TOFU_NS {

/** Work of a pattern in one forward, on an average rank. */
struct PatternCounts {
  double nswaps = 0.0;
  double nmessages = 0.0;
  double nrounds = 0.0;    // rounds of messages, one after the other
  double nghosts = 0.0;
  double natoms = 0.0;    // ghosts that travel in messages
};

/** \param geometry   of the decomposition
    \param natoms     in the box
    \param half       whether ghosts come from upper neighbors only */
PatternCounts count_direct(const HaloGeometry &geometry, double natoms, bool half);
PatternCounts count_staged(const HaloGeometry &geometry, double natoms);

/** Estimated time of a forward in us, as if all ranks were on one node.  Meaningful only relative
    to the estimate of another pattern. */
double cost_of(const PatternCounts &counts);

/** How many times as fast as the direct pattern the staged one is.  Beyond some hundred swaps the
    ratio is infinite: the data of the direct pattern for each combination of shells do not fit into
    a cache, and for more swaps not into memory. */
double staged_advantage(const HaloGeometry &geometry, double natoms, bool half);

}    // namespace TOFU_NS

#endif
