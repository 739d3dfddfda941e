// SPDX-License-Identifier: GPL-2.0-only
//
// Place of a node in the interconnect.

#ifndef TOFU_TRANSPORT_INTERCONNECT_H
#define TOFU_TRANSPORT_INTERCONNECT_H

#include <vector>

namespace TOFU_NS {

/** Coordinates X, Y, Z, A, B, C of this node in the Tofu interconnect D; empty if it has none, or
    TOFU was built without uTofu. */
std::vector<int> interconnect_coords();

/** [6] # of places of the dimensions that are rings in every system: 3 for B, 0 for the others. */
std::vector<int> interconnect_rings();

}    // namespace TOFU_NS

#endif
