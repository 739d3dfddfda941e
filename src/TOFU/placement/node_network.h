// SPDX-License-Identifier: GPL-2.0-only
//
// Distances in the network between nodes, and layouts of grids on it.

#ifndef TOFU_PLACEMENT_NODE_NETWORK_H
#define TOFU_PLACEMENT_NODE_NETWORK_H

#include "proc_grid.h"

#include <array>
#include <string>
#include <vector>

namespace TOFU_NS {

class NodeNetwork {
 public:
  virtual ~NodeNetwork() = default;

  /** # of links on the way from a node to another one, at least 1; 0 for the node itself. */
  virtual int links(int node, int other) const = 0;

  /** Assignments of nodes to the cells of a grid in which near cells have near nodes.

      \param size   with as many cells as nodes
      \param edge   length of a cell per dimension
      \return       some lists [ncells(size)] of nodes, the same at each call; may be empty */
  virtual std::vector<std::vector<int>> layouts(const GridSize &size,
                                                const std::array<double, 3> &edge) const = 0;

  /** Whether a grid of nodes matches the dimensions of the network; such grids are tried first. */
  virtual bool fits(const GridSize &size) const = 0;

  /** Description for the log: "a torus of 4 by 6 by 2 nodes". */
  virtual std::string text() const = 0;
};

}    // namespace TOFU_NS

#endif
