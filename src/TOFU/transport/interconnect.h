// SPDX-License-Identifier: GPL-2.0-only
//
// What the interconnect tells of the place of a node.

#ifndef TOFU_TRANSPORT_INTERCONNECT_H
#define TOFU_TRANSPORT_INTERCONNECT_H

#include <vector>

namespace TOFU_NS {

/** Coordinates X, Y, Z, A, B, C of this node in the Tofu interconnect D; empty if it has none, or
    TOFU was built without uTofu. */
std::vector<int> interconnect_coords();

/** [6] places of the rings that are closed whatever the system: B has three; 0 for the others. */
std::vector<int> interconnect_rings();

}    // namespace TOFU_NS

#endif
