// SPDX-License-Identifier: GPL-2.0-only

#include "rank_ring.h"

#include <stdexcept>
#include <string>

namespace TOFU_NS {

namespace {

  using Location = std::array<int, 3>;
  using Walk = std::vector<Location>;

  /** To and fro, z fastest as in LAMMPS' order of ranks: those of a node follow one another. */
  Walk serpentine(const std::array<int, 3> &grid)
  {
    Walk walk;
    for (int x = 0; x < grid[0]; x++)
      for (int row = 0; row < grid[1]; row++)
        for (int k = 0; k < grid[2]; k++) {
          const int y = x % 2 ? grid[1] - 1 - row : row;
          const bool back = (x * grid[1] + row) % 2;
          walk.push_back({x, y, back ? grid[2] - 1 - k : k});
        }
    return walk;
  }

  /** Down a lane at the lower face of `dim`, then up again, to and fro over the rest of each column
      along `dim`.  The end is next to the beginning with an even number of columns; with an odd
      one through the boundary of `dim`. */
  Walk serpentine_with_lane(const std::array<int, 3> &grid, int dim)
  {
    std::array<int, 3> face = grid;
    face[dim] = 1;
    const Walk columns = serpentine(face);
    Walk walk(columns.rbegin(), columns.rend());
    for (std::size_t n = 0; n < columns.size(); n++)
      for (int k = 1; k < grid[dim]; k++) {
        Location next = columns[n];
        next[dim] = n % 2 ? grid[dim] - k : k;
        walk.push_back(next);
      }
    return walk;
  }

  /** Dimension of the columns with which the lane leads back to the beginning, -1 if none. */
  int dimension_for_lane(const std::array<int, 3> &grid, const std::array<int, 3> &periodicity)
  {
    for (bool through_boundary : {false, true})
      for (int dim : {2, 1, 0}) {
        const int ncolumns = grid[0] * grid[1] * grid[2] / grid[dim];
        const bool meets = through_boundary ? periodicity[dim] != 0 : ncolumns % 2 == 0;
        if (meets && grid[dim] > 1 && ncolumns > 1) return dim;
      }
    return -1;
  }

  /** Whether a plain serpentine ends where it has begun.  Without a lane that is a matter of one
      dimension: in more of them the end is in the opposite corner, and no boundary is periodic. */
  bool meets_itself(const std::array<int, 3> &grid, const std::array<int, 3> &periodicity)
  {
    for (int dim = 0; dim < 3; dim++)
      if (grid[dim] > 1 && !periodicity[dim]) return false;
    return grid[0] * grid[1] * grid[2] > 2;
  }

  std::string all_of(int nranks)
  {
    return "it must have each of the ranks 0 to " + std::to_string(nranks - 1) + " once";
  }

}    // namespace

/* ---------------------------------------------------------------------- */

RankRing serpentine_ring(const std::array<int, 3> &procgrid, const std::array<int, 3> &periodicity,
                         const std::function<int(int, int, int)> &rank_of)
{
  const int dim = dimension_for_lane(procgrid, periodicity);
  const Walk walk = dim < 0 ? serpentine(procgrid) : serpentine_with_lane(procgrid, dim);
  RankRing ring{{}, dim >= 0 || meets_itself(procgrid, periodicity)};
  for (const auto &[x, y, z] : walk) ring.order.push_back(rank_of(x, y, z));
  return ring;
}

/* ---------------------------------------------------------------------- */

RankRing ring_from_ranks(std::vector<int> ranks, int nranks)
{
  std::vector<char> seen(nranks, 0);
  for (int rank : ranks) {
    if (rank < 0 || rank >= nranks)
      throw std::invalid_argument("the ring has rank " + std::to_string(rank) + ", " +
                                  all_of(nranks));
    if (seen[rank]++)
      throw std::invalid_argument("the ring has rank " + std::to_string(rank) + " twice, " +
                                  all_of(nranks));
  }
  for (int rank = 0; rank < nranks; rank++)
    if (!seen[rank])
      throw std::invalid_argument("the ring has " + std::to_string(ranks.size()) +
                                  " ranks and lacks rank " + std::to_string(rank) + ", " +
                                  all_of(nranks));
  return {std::move(ranks), nranks > 2};
}

}    // namespace TOFU_NS
