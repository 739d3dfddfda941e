// SPDX-License-Identifier: GPL-2.0-only
//
// MeshLayout: the part of a mesh that a rank holds, and its layout in memory.
//
// Dimensions are 0, 1, 2 for x, y, z.  A mesh is periodic; a box may reach beyond it, and points
// there are images of points of the mesh.

#ifndef TOFU_MESH_MESH_LAYOUT_H
#define TOFU_MESH_MESH_LAYOUT_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace TOFU_NS {

/** Points lo up to, not including, hi in each dimension. */
struct MeshBox {
  std::array<int, 3> lo{0, 0, 0}, hi{0, 0, 0};

  int length(int dim) const { return std::max(0, hi[dim] - lo[dim]); }
  bool empty() const { return length(0) == 0 || length(1) == 0 || length(2) == 0; }
  std::size_t npoints() const
  {
    return static_cast<std::size_t>(length(0)) * length(1) * length(2);
  }
  bool operator==(const MeshBox &other) const { return lo == other.lo && hi == other.hi; }
};

inline MeshBox intersection(const MeshBox &a, const MeshBox &b)
{
  MeshBox box;
  for (int dim = 0; dim < 3; dim++) {
    box.lo[dim] = std::max(a.lo[dim], b.lo[dim]);
    box.hi[dim] = std::min(a.hi[dim], b.hi[dim]);
  }
  return box;
}

/** A box in memory: without gaps, dimension order[0] runs fastest, order[2] slowest. */
struct MeshLayout {
  MeshBox box;
  std::array<int, 3> order{0, 1, 2};

  bool operator==(const MeshLayout &other) const
  {
    return box == other.box && (order == other.order || box.empty());
  }

  /** From a point to the next one in each dimension. */
  std::array<std::ptrdiff_t, 3> strides() const
  {
    std::array<std::ptrdiff_t, 3> stride{};
    stride[order[0]] = 1;
    stride[order[1]] = box.length(order[0]);
    stride[order[2]] = stride[order[1]] * box.length(order[1]);
    return stride;
  }

  std::ptrdiff_t offset(const std::array<int, 3> &point) const
  {
    const std::array<std::ptrdiff_t, 3> stride = strides();
    std::ptrdiff_t at = 0;
    for (int dim = 0; dim < 3; dim++) at += stride[dim] * (point[dim] - box.lo[dim]);
    return at;
  }
};

/** Whole mesh of these many points. */
inline MeshBox whole_mesh(const std::array<int, 3> &npoints)
{
  return {{0, 0, 0}, npoints};
}

/** Boxes with x fastest in memory, then y. */
inline std::vector<MeshLayout> layouts_xyz(const std::vector<MeshBox> &boxes)
{
  std::vector<MeshLayout> layouts;
  for (const MeshBox &box : boxes) layouts.push_back({box, {0, 1, 2}});
  return layouts;
}

}    // namespace TOFU_NS

#endif
