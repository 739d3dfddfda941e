// SPDX-License-Identifier: GPL-2.0-only
//
// BrickGrid: the regular grid of cuts that bricks may form, and the places of ranks in it.
//
// Bricks without points have no place in it: there are more ranks than planes along a dimension.

#ifndef TOFU_MESH_BRICK_GRID_H
#define TOFU_MESH_BRICK_GRID_H

#include "distributed_fft.h"

#include <string>

namespace TOFU_NS {

class BrickGrid {
 public:
  /** \param geometry   its bricks are disjoint, together the mesh */
  explicit BrickGrid(const MeshGeometry &geometry);

  /** Why the bricks are no regular grid; empty if they are one. */
  const std::string &why_not() const { return why_not_; }

  /** # of bricks along a dimension. */
  int length(int dim) const { return static_cast<int>(cuts_[dim].size()) - 1; }

  /** [length(dim)+1] where bricks begin and end, ascending from 0. */
  const std::vector<int> &cuts(int dim) const { return cuts_[dim]; }

  /** Points along the longest brick of a dimension. */
  int longest(int dim) const;

  /** Ranks with points, by place, x fastest; the others, ascending. */
  const std::vector<int> &busy() const { return busy_; }
  const std::vector<int> &idle() const { return idle_; }

  /** Place of a rank with points. */
  std::array<int, 3> place(int rank) const;

  /** Ranks along a dimension that differ from this place in nothing else. */
  std::vector<int> row(const std::array<int, 3> &place, int dim) const;

 private:
  std::array<std::vector<int>, 3> cuts_;
  std::vector<int> busy_, idle_;
  std::vector<MeshBox> bricks_;
  std::string why_not_;
};

}    // namespace TOFU_NS

#endif
