// SPDX-License-Identifier: GPL-2.0-only
//
// Assignment of sub-boxes to ranks such that few ghosts come from other nodes, or over few links.
//
// Each node gets a block of sub-boxes.  Without data on the network, the grid of ranks and the
// block minimize off-node ghosts; among those that are nearly as good, all ghosts.  Grids whose
// ranks have many more ghosts are left out.  Nodes follow each other in the order of their ranks,
// which LAMMPS' command processors can express.  With data on the network, the grid, the block and
// the place of each node minimize the links that off-node ghosts pass.
//
// Sources: nodes as bricks is LAMMPS' own idea (processors grid numa, twolevel); blocks along a
// torus: Li et al., SC'23, section 3.5.3.

#ifndef TOFU_PLACEMENT_PLACEMENT_H
#define TOFU_PLACEMENT_PLACEMENT_H

#include "ghost_traffic.h"
#include "node_network.h"
#include "proc_grid.h"
#include "rank_nodes.h"

#include <vector>

namespace TOFU_NS {

/** A grid of ranks. */
struct Placement {
  GridSize procgrid;
  std::vector<int> rank_at;    // [nranks] in the order of cells
};

/** The outcome of choose_placement(). */
struct PlacementChoice {
  Placement placement;
  GridSize block;         // sub-boxes of each node
  bool is_default;        // the default is as good, and is kept
  GhostTraffic before;    // with the default
  GhostTraffic after;
};

/** Choose the placement.

    \param nodes           two or more, with the same number of ranks on each
    \param network         nullptr: no data; one link between any two nodes
    \param default_place   placement without this choice */
PlacementChoice choose_placement(const GhostBox &box, const RankNodes &nodes,
                                 const NodeNetwork *network, const Placement &default_place);

}    // namespace TOFU_NS

#endif
