// SPDX-License-Identifier: GPL-2.0-only
//
// Which of the two patterns of a HaloPlan moves ghosts faster: counting and arithmetic.
//
// The direct pattern has one round of messages, and (2n+1)^3-1 swaps where ghosts come from n
// sub-boxes away in each dimension.  Where a rank is its own neighbor, or its neighbors are few, it
// also sends the same atoms many times, once for each image.  The staged pattern has 6n swaps in 3n
// rounds, one after the other.

#ifndef TOFU_HALO_PATTERN_COST_H
#define TOFU_HALO_PATTERN_COST_H

#include "halo_plan.h"

namespace TOFU_NS {

/** What a pattern has to do in one forward, on a rank that is like the average of all. */
struct PatternCounts {
  double nswaps = 0.0;
  double nmessages = 0.0;
  double nrounds = 0.0;    // of messages that wait for those before
  double nghosts = 0.0;
  double natoms = 0.0;    // of them, in messages
};

/** \param geometry   of the decomposition
    \param natoms     in the box
    \param half       whether ghosts come from upper neighbors only */
PatternCounts count_direct(const HaloGeometry &geometry, double natoms, bool half);
PatternCounts count_staged(const HaloGeometry &geometry, double natoms);

/** Microseconds of a forward, as if all were on one node: what matters is which is less. */
double cost_of(const PatternCounts &counts);

/** How many times as fast as the direct pattern the staged one is.  Beyond some hundred swaps it is
    infinitely better: what the direct pattern has to know of each combination of shells does not
    fit a cache, and soon no memory. */
double staged_advantage(const HaloGeometry &geometry, double natoms, bool half);

}    // namespace TOFU_NS

#endif
