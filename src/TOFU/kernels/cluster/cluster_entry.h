// SPDX-License-Identifier: GPL-2.0-only
//
// Pairs of some owners and a cluster of atoms.

#ifndef TOFU_KERNELS_CLUSTER_ENTRY_H
#define TOFU_KERNELS_CLUSTER_ENTRY_H

#include <cstdint>

namespace TOFU_NS {

constexpr int OWNERS_OF_CLUSTER = 4;    // atoms of a cluster of owners
constexpr int MOST_CLUSTER_WIDTH = 8;

/** Pairs of a cluster of owners and another cluster. */
struct ClusterEntry {
  std::int32_t cluster;
  std::uint32_t pairs;    // bit [owner * width + other]
};

}    // namespace TOFU_NS

#endif
