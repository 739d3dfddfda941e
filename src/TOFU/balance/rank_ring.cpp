// SPDX-License-Identifier: GPL-2.0-only

#include "rank_ring.h"

#include <algorithm>
#include <cfloat>
#include <cstdlib>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
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

  using Range = std::vector<int>::iterator;    // of ranks

  double center(const SubBox &box, int dim)
  {
    return 0.5 * (box.lo[dim] + box.hi[dim]);
  }

  /** Sort ranks along one dimension, and find the cut nearest to the middle that goes through no
      sub-box.

      \return   # of ranks below it, 0 if there is none */
  int cut(const std::vector<SubBox> &boxes, int dim, Range first, Range last)
  {
    std::sort(first, last, [&](int a, int b) {
      const double x = center(boxes[a], dim), y = center(boxes[b], dim);
      return x != y ? x < y : a < b;
    });
    const int n = static_cast<int>(last - first);
    std::vector<double> lowest(n);    // of a rank and those behind it
    for (int i = n - 1; i >= 0; i--)
      lowest[i] = std::min(boxes[first[i]].lo[dim], i + 1 < n ? lowest[i + 1] : 1.0);
    int best = 0;
    double highest = 0.0;
    for (int i = 1; i < n; i++) {
      highest = std::max(highest, boxes[first[i - 1]].hi[dim]);
      if (highest <= lowest[i] && (best == 0 || std::abs(2 * i - n) < std::abs(2 * best - n)))
        best = i;
    }
    return best;
  }

  /** Square of the distance of a place from the nearest of some sub-boxes. */
  double square_to(const std::vector<SubBox> &boxes, const std::array<double, 3> &place,
                   Range first, Range last)
  {
    double least = DBL_MAX;
    for (; first != last; ++first)
      least = std::min(least, square_from(place.data(), boxes[*first], {1.0, 1.0, 1.0}));
    return least;
  }

  /** Put ranks in order.

      \param place   where the walk has come; moves on to the center of the last of them */
  void walk_through(const std::vector<SubBox> &boxes, Range first, Range last,
                    std::array<double, 3> &place)
  {
    const int n = static_cast<int>(last - first);
    if (n == 1) {
      for (int dim = 0; dim < 3; dim++) place[dim] = center(boxes[*first], dim);
      return;
    }
    int best = 0, best_dim = 0;
    for (int dim = 0; dim < 3; dim++) {
      const int below = cut(boxes, dim, first, last);
      if (below && (!best || std::abs(2 * below - n) < std::abs(2 * best - n))) {
        best = below;
        best_dim = dim;
      }
    }
    cut(boxes, best_dim, first, last);    // sorts
    if (!best) best = n / 2;
    if (square_to(boxes, place, first + best, last) <
        square_to(boxes, place, first, first + best)) {
      std::rotate(first, first + best, last);
      best = n - best;
    }
    walk_through(boxes, first, first + best, place);
    walk_through(boxes, first + best, last, place);
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

RankRing ring_of_boxes(const std::vector<SubBox> &boxes)
{
  const int nranks = static_cast<int>(boxes.size());
  RankRing ring{std::vector<int>(nranks), nranks > 2};
  std::iota(ring.order.begin(), ring.order.end(), 0);
  std::array<double, 3> place{};
  if (nranks) walk_through(boxes, ring.order.begin(), ring.order.end(), place);
  return ring;
}

/* ---------------------------------------------------------------------- */

RankRing ring_from_ranks(std::vector<int> ranks, int nranks)
{
  std::vector<char> found(nranks, 0);
  for (int rank : ranks) {
    if (rank < 0 || rank >= nranks)
      throw std::invalid_argument("the ring has rank " + std::to_string(rank) + ", " +
                                  all_of(nranks));
    if (found[rank]++)
      throw std::invalid_argument("the ring has rank " + std::to_string(rank) + " twice, " +
                                  all_of(nranks));
  }
  for (int rank = 0; rank < nranks; rank++)
    if (!found[rank])
      throw std::invalid_argument("the ring has " + std::to_string(ranks.size()) +
                                  " ranks and lacks rank " + std::to_string(rank) + ", " +
                                  all_of(nranks));
  return {std::move(ranks), nranks > 2};
}

/* ---------------------------------------------------------------------- */

std::vector<std::vector<int>> ring_partners(const RankRing &ring,
                                            const std::vector<int> &node_of_rank)
{
  std::vector<int> nodes;    // in the order of the ring
  std::map<int, std::vector<int>> ranks_of;
  for (int rank : ring.order) {
    std::vector<int> &ranks = ranks_of[node_of_rank[rank]];
    if (ranks.empty()) nodes.push_back(node_of_rank[rank]);
    ranks.push_back(rank);
  }
  std::vector<std::vector<int>> partners(ring.order.size());
  const std::size_t nnodes = nodes.size();
  for (std::size_t n = 0; n < nnodes; n++) {
    std::set<int> near;
    for (std::size_t other : {n, (n + 1) % nnodes, (n + nnodes - 1) % nnodes})
      near.insert(ranks_of[nodes[other]].begin(), ranks_of[nodes[other]].end());
    for (int rank : ranks_of[nodes[n]])
      std::copy_if(near.begin(), near.end(), std::back_inserter(partners[rank]),
                   [=](int partner) { return partner != rank; });
  }
  return partners;
}

}    // namespace TOFU_NS
