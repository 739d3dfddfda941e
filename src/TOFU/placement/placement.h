// SPDX-License-Identifier: GPL-2.0-only
//
// Which rank gets which sub-box, so that few ghosts come from other nodes, or over few links.
//
// Each node gets a block of sub-boxes.  Where nothing is known of the network, the grid of ranks
// and the block are those with the fewest off-node ghosts; of those that have hardly more, those
// with the fewest ghosts in all.  Grids whose ranks have many more ghosts are left out.  Nodes then
// follow each other in the order of their ranks, which LAMMPS' command processors can say.  Where
// the network is known, the grid, the block and the place of each node are those where off-node
// ghosts pass the fewest links.
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
  bool is_default;        // the default is as good, and taken
  GhostTraffic before;    // with the default
  GhostTraffic after;
};

/** \param nodes           as many ranks on each of them, and two nodes at least
    \param network         nullptr: nothing is known; one link between any two nodes
    \param default_place   what there is without this choice */
PlacementChoice choose_placement(const GhostBox &box, const RankNodes &nodes,
                                 const NodeNetwork *network, const Placement &default_place);

}    // namespace TOFU_NS

#endif
