// SPDX-License-Identifier: GPL-2.0-only

#include "node_bisection.h"

#include <algorithm>

namespace TOFU_NS {

namespace {

  constexpr double SAME = 1e-9;    // relative; areas are products of rounded edges

  class Bisection {
   public:
    Bisection(const GridSize &size, const std::array<double, 3> &edge, std::vector<int> &nodes,
              const BisectionRule &rule) :
        size_(size),
        edge_(edge), nodes_(nodes), rule_(rule), result_(ncells(size))
    {
      fill({0, 0, 0}, size, 0);
    }

    std::vector<int> result() && { return std::move(result_); }

   private:
    const GridSize size_;
    const std::array<double, 3> edge_;
    std::vector<int> &nodes_;
    const BisectionRule &rule_;
    std::vector<int> result_;

    // the part of the grid from lo on gets the nodes from begin on

    void fill(const Cell &lo, const GridSize &part, int begin)
    {
      const int n = ncells(part);
      if (n == 1) {
        result_[cell_index(size_, lo)] = nodes_[begin];
        return;
      }
      rule_.sort(nodes_, begin, begin + n);
      const GridCut cut = best_cut(part, begin);
      GridSize first = part, second = part;
      Cell middle = lo;
      first[cut.dim] = cut.at;
      second[cut.dim] -= cut.at;
      middle[cut.dim] += cut.at;
      fill(lo, first, begin);
      fill(middle, second, begin + cut.nfirst);
    }

    GridCut best_cut(const GridSize &part, int begin) const
    {
      GridCut best{-1, 0, 0, 0.0, 0.0};
      for (int dim = 0; dim < 3; dim++)
        for (int at = 1; at < part[dim]; at++) {
          const int layer = ncells(part) / part[dim];
          const int d1 = (dim + 1) % 3, d2 = (dim + 2) % 3;
          const double area = part[d1] * edge_[d1] * part[d2] * edge_[d2];
          const GridCut cut{dim, at, at * layer, area,
                            std::min(at, part[dim] - at) / static_cast<double>(part[dim])};
          if (best.dim < 0 || rule_.better(nodes_, begin, cut, best)) best = cut;
        }
      return best;
    }
  };

}    // namespace

/* ---------------------------------------------------------------------- */

std::vector<int> bisect_nodes(const GridSize &size, const std::array<double, 3> &edge,
                              std::vector<int> nodes, const BisectionRule &rule)
{
  return Bisection(size, edge, nodes, rule).result();
}

/* ---------------------------------------------------------------------- */

bool is_shorter_cut(const GridCut &a, const GridCut &b)
{
  if (a.area < b.area * (1.0 - SAME)) return true;
  return a.area <= b.area * (1.0 + SAME) && a.balance > b.balance;
}

}    // namespace TOFU_NS
