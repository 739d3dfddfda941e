// SPDX-License-Identifier: GPL-2.0-only
//
// Nodes on switches that form a tree.

#ifndef TOFU_PLACEMENT_SWITCH_NETWORK_H
#define TOFU_PLACEMENT_SWITCH_NETWORK_H

#include "node_network.h"

namespace TOFU_NS {

class SwitchNetwork : public NodeNetwork {
 public:
  using Switches = std::vector<std::string>;    // from the top of the tree to the node's own one

  /** \param switches   [nnodes] of each node; one at least */
  explicit SwitchNetwork(const std::vector<Switches> &switches);

  /** Links up to the first common switch, and down again. */
  int links(int node, int other) const override;

  /** One layout, by bisection that keeps the nodes of a switch together. */
  std::vector<std::vector<int>> layouts(const GridSize &size,
                                        const std::array<double, 3> &edge) const override;
  bool fits(const GridSize &) const override { return false; }    // all grids are alike
  std::string text() const override;

  /** Whether all nodes are on one switch, so that none is nearer than another. */
  bool is_one_switch() const { return nswitches_ == 1; }

 private:
  std::vector<std::vector<int>> path_of_;    // [nnodes][depth] numbers of the switches
  std::vector<int> in_order_;                // nodes, those of a switch one after the other
  int nswitches_;                            // that nodes are on

  int levels_shared(int node, int other) const;
};

}    // namespace TOFU_NS

#endif
