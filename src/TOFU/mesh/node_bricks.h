// SPDX-License-Identifier: GPL-2.0-only
//
// Bricks of nodes: with gather node one rank of each node, its leader, has the mesh of all of them.

#ifndef TOFU_MESH_NODE_BRICKS_H
#define TOFU_MESH_NODE_BRICKS_H

#include "mesh/fft/distributed_fft.h"

#include <vector>

namespace TOFU_NS {

/** [nranks] the lowest rank of the node of each.

    \param nodes   [nranks] any numbers, the same for ranks of one node */
std::vector<int> node_leaders(const std::vector<int> &nodes);

/** The mesh of leaders alone: each has the bricks of its ranks, and the box around their boxes.

    \param ranks     bricks and boxes of all ranks; `me` is this rank
    \param leaders   [nranks] leader of each
    \return          with leaders in ascending order; `me` is -1 if this rank is none
    \throws std::invalid_argument if the bricks of a node do not make up a box */
MeshGeometry geometry_of_leaders(const MeshGeometry &ranks, const std::vector<int> &leaders);

}    // namespace TOFU_NS

#endif
