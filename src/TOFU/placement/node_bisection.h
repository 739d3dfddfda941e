// SPDX-License-Identifier: GPL-2.0-only
//
// A grid and a set of nodes are cut in two again and again, so that the halves of the grid get the
// halves of the set.

#ifndef TOFU_PLACEMENT_NODE_BISECTION_H
#define TOFU_PLACEMENT_NODE_BISECTION_H

#include "proc_grid.h"

#include <array>
#include <functional>
#include <vector>

namespace TOFU_NS {

/** Where a part of the grid may be cut. */
struct GridCut {
  int dim;
  int at;            // cells of the first part along this dimension
  int nfirst;        // cells of the first part
  double area;       // of the cut
  double balance;    // the smaller part, as a fraction of both
};

/** How to cut; both may look at the nodes begin to end of the list. */
struct BisectionRule {
  /** Sort the nodes, so that any first ones of them are near each other. */
  std::function<void(std::vector<int> &nodes, int begin, int end)> sort;

  /** The better of two cuts: whether `a` is to be preferred. */
  std::function<bool(const std::vector<int> &nodes, int begin, const GridCut &a, const GridCut &b)>
      better;
};

/** \param size    of the grid
    \param edge    length of a cell per dimension
    \param nodes   [ncells(size)]
    \return        [ncells(size)] the node of each cell */
std::vector<int> bisect_nodes(const GridSize &size, const std::array<double, 3> &edge,
                              std::vector<int> nodes, const BisectionRule &rule);

/** The cut with the smaller area, or if they have the same that into more equal parts. */
bool is_shorter_cut(const GridCut &a, const GridCut &b);

}    // namespace TOFU_NS

#endif
