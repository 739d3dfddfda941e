// SPDX-License-Identifier: GPL-2.0-only
//
// Grids of sub-boxes, and of blocks of sub-boxes: sizes, and orders of the cells.

#ifndef TOFU_PLACEMENT_PROC_GRID_H
#define TOFU_PLACEMENT_PROC_GRID_H

#include <array>
#include <cstddef>
#include <vector>

namespace TOFU_NS {

using GridSize = std::array<int, 3>;    // # of cells per dimension
using Cell = std::array<int, 3>;        // from 0

inline int ncells(const GridSize &size)
{
  return size[0] * size[1] * size[2];
}

/** Position in lists of cells: x fastest. */
inline std::size_t cell_index(const GridSize &size, const Cell &cell)
{
  return (static_cast<std::size_t>(cell[2]) * size[1] + cell[1]) * size[0] + cell[0];
}

inline Cell cell_at(const GridSize &size, int index)
{
  const int row = index / size[0];
  return {index % size[0], row % size[1], row / size[1]};
}

/** Grid of the blocks, each block[dim] cells wide, that a grid is cut into. */
inline GridSize blocks_of(const GridSize &size, const GridSize &block)
{
  return {size[0] / block[0], size[1] / block[1], size[2] / block[2]};
}

/** Order of the dimensions, the one that changes fastest first; in the order of LAMMPS' words xyz,
    xzy, yxz, yzx, zxy, zyx. */
using DimOrder = std::array<int, 3>;
constexpr std::array<DimOrder, 6> DIM_ORDERS{
    {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};

inline int index_in_order(const GridSize &size, const Cell &cell, const DimOrder &order)
{
  return (cell[order[2]] * size[order[1]] + cell[order[1]]) * size[order[0]] + cell[order[0]];
}

/** All ways to cut n cells into a grid, x slowest.

    \param dimension   2: one cell along z */
std::vector<GridSize> grids_of(int n, int dimension);

}    // namespace TOFU_NS

#endif
