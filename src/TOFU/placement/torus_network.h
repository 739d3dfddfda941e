// SPDX-License-Identifier: GPL-2.0-only
//
// Nodes with coordinates in a mesh, of which some dimensions may be closed to rings.

#ifndef TOFU_PLACEMENT_TORUS_NETWORK_H
#define TOFU_PLACEMENT_TORUS_NETWORK_H

#include "node_network.h"

namespace TOFU_NS {

class TorusNetwork : public NodeNetwork {
 public:
  /** \param sizes    [ndims] # of places of a ring, 0: not closed
      \param coords   [nnodes][ndims] from 0 to below the size; several nodes may be at one place */
  TorusNetwork(std::vector<int> sizes, std::vector<std::vector<int>> coords);

  int links(int node, int other) const override;

  /** Layouts in which each dimension of the grid is one of the torus, or some of them folded
      together, if the nodes fill a block of it; and one by bisection. */
  std::vector<std::vector<int>> layouts(const GridSize &size,
                                        const std::array<double, 3> &edge) const override;
  bool fits(const GridSize &size) const override { return !folds(size).empty(); }
  std::string text() const override;

 private:
  const std::vector<int> sizes_;
  const std::vector<std::vector<int>> coords_;
  std::vector<int> lowest_, extent_;    // per dimension, of the block around all nodes
  std::vector<int> node_at_;            // of each place of the block; empty if a place has none

  int ndims() const { return static_cast<int>(sizes_.size()); }
  int nnodes() const { return static_cast<int>(coords_.size()); }
  std::size_t place_of(const std::vector<int> &coords) const;
  void find_block();

  using Fold = std::vector<int>;    // [ndims] the dimension of a grid that each one goes along
  std::vector<Fold> folds(const GridSize &size) const;
  std::vector<int> folded(const GridSize &size, const Fold &dim_of) const;

  /** Places of the block, each one link from the one before; closed: the first from the last. */
  struct Walk {
    std::vector<std::size_t> places{0};
    bool closed = true;
  };
  Walk line(int dim) const;
  static Walk crossed(const Walk &first, const Walk &second);

  std::vector<int> bisected(const GridSize &size, const std::array<double, 3> &edge) const;
};

}    // namespace TOFU_NS

#endif
