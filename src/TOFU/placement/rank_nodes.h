// SPDX-License-Identifier: GPL-2.0-only
//
// Map between ranks and nodes.

#ifndef TOFU_PLACEMENT_RANK_NODES_H
#define TOFU_PLACEMENT_RANK_NODES_H

#include <vector>

namespace TOFU_NS {

/** Nodes are counted from 0 in the order of their lowest ranks. */
class RankNodes {
 public:
  /** \param ids   [nranks] any number, the same for ranks of the same node */
  explicit RankNodes(const std::vector<int> &ids);

  int nranks() const { return static_cast<int>(node_of_.size()); }
  int nnodes() const { return static_cast<int>(ranks_of_.size()); }
  int node_of(int rank) const { return node_of_[rank]; }

  /** In ascending order. */
  const std::vector<int> &ranks_of(int node) const { return ranks_of_[node]; }

  /** # of ranks on the nodes with fewest and most. */
  int fewest() const;
  int most() const;

 private:
  std::vector<int> node_of_;
  std::vector<std::vector<int>> ranks_of_;
};

}    // namespace TOFU_NS

#endif
