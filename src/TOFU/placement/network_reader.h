// SPDX-License-Identifier: GPL-2.0-only
//
// The network between nodes from text: a file of the user, or variables of a batch system.

#ifndef TOFU_PLACEMENT_NETWORK_READER_H
#define TOFU_PLACEMENT_NETWORK_READER_H

#include "node_network.h"
#include "rank_nodes.h"

#include <istream>
#include <memory>
#include <string>
#include <vector>

namespace TOFU_NS {

/** Lines of a file, where # begins a comment:

        torus SIZE ...       sizes of the rings; 0: not closed.  Without this line none is closed
        NODE COORD ...       coordinates of a node from 0, the same number for each node, or
        NODE SWITCH.SWITCH   the switches above it from the top on

    NODE is the name of the host, with or without its domain, or the number of a rank on it.

    \param hosts   [nnodes] names
    Throws:
      std::runtime_error   what is wrong, with the number of the line; a node has no line */
std::unique_ptr<NodeNetwork> read_network(std::istream &file, const RankNodes &nodes,
                                          const std::vector<std::string> &hosts);

/** From Slurm's variables SLURM_TOPOLOGY_ADDR and SLURM_TOPOLOGY_ADDR_PATTERN.

    \param addresses   [nnodes] e.g. "s0.s4.tux12", whose last part is the node
    \param pattern     e.g. "switch.switch.node"
    \return            nullptr if all nodes are at the same distance */
std::unique_ptr<NodeNetwork> slurm_network(const std::vector<std::string> &addresses,
                                           const std::string &pattern);

/** The network of nodes with coordinates in a torus; nullptr if a node is not in it, or all are at
    one place.

    \param sizes    [ndims] of the rings, 0: not closed
    \param coords   [nnodes][ndims] */
std::unique_ptr<NodeNetwork> torus_of_system(const std::vector<int> &sizes,
                                             const std::vector<std::vector<int>> &coords);

}    // namespace TOFU_NS

#endif
