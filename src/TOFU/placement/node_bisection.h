// SPDX-License-Identifier: GPL-2.0-only
//
// Recursive bisection of a grid together with a set of nodes: each half of the grid gets a half of
// the set.

#ifndef TOFU_PLACEMENT_NODE_BISECTION_H
#define TOFU_PLACEMENT_NODE_BISECTION_H

#include "proc_grid.h"

#include <array>
#include <functional>
#include <vector>

namespace TOFU_NS {

/** A place at which a part of the grid may be cut. */
struct GridCut {
  int dim;
  int at;            // cells of the first part along this dimension
  int nfirst;        // cells of the first part
  double area;       // of the cut
  double balance;    // the smaller part, as a fraction of both
};

/** Rules of the cuts, for the nodes begin to end of the list. */
struct BisectionRule {
  /** Sort the nodes, so that the first n of them, for any n, are near each other. */
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

/** Whether cut `a` has the smaller area, or at equal areas the more equal parts. */
bool is_shorter_cut(const GridCut &a, const GridCut &b);

}    // namespace TOFU_NS

#endif
