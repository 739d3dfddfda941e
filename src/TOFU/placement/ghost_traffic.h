// SPDX-License-Identifier: GPL-2.0-only
//
// Volume of the ghosts of all ranks that come from other nodes, and the links that they pass, for a
// box that is cut into sub-boxes of equal size.  The ghosts of a rank fill the shell of one cut-off
// around its sub-box.

#ifndef TOFU_PLACEMENT_GHOST_TRAFFIC_H
#define TOFU_PLACEMENT_GHOST_TRAFFIC_H

#include "proc_grid.h"

#include <array>
#include <functional>
#include <vector>

namespace TOFU_NS {

/** The box and the ghosts; lengths in any unit. */
struct GhostBox {
  std::array<double, 3> length;    // from face to face
  std::array<bool, 3> periodic;    // per dimension
  int dimension;                   // 2: no ghosts along z
  double cutghost;                 // > 0
};

/** Sums over all ranks, in volumes of the box: with even density, ghosts for each atom. */
struct GhostTraffic {
  double all = 0.0;
  double off_node = 0.0;    // owned by a rank of another node
  double links = 0.0;       // off-node ghosts times the links on their way
};

/** Number of links between two nodes, 0 for a node and itself. */
using LinksBetween = std::function<int(int, int)>;

/** Traffic of any placement, summed over all pairs of ranks.

    \param nodes   [ncells(procgrid)] the node of the rank at each cell */
GhostTraffic count_traffic(const GhostBox &box, const GridSize &procgrid,
                           const std::vector<int> &nodes, const LinksBetween &links);

/** Volume of all ghosts of a grid of ranks. */
double all_ghosts(const GhostBox &box, const GridSize &procgrid);

/** As count_traffic() without links, where each node has a block of sub-boxes; the time hardly
    grows with the grid.

    \param block   sub-boxes of a node per dimension, which divide those of the grid */
GhostTraffic traffic_of_blocks(const GhostBox &box, const GridSize &procgrid,
                               const GridSize &block);

/** The links of count_traffic(), where each node has a block of sub-boxes.

    \param nodes   [ncells(blocks_of(procgrid, block))] the node of each block */
double links_of_blocks(const GhostBox &box, const GridSize &procgrid, const GridSize &block,
                       const std::vector<int> &nodes, const LinksBetween &links);

}    // namespace TOFU_NS

#endif
