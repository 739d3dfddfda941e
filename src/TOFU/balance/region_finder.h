// SPDX-License-Identifier: GPL-2.0-only
//
// RegionFinder: the atoms around those that a rank hands over, which whoever makes their rows must have.
//
// A donor gives the atoms that are the nearest to the receiver's sub-box.  What is within the cut-off of
// one of them is therefore no farther from that sub-box than the farthest of them and the cut-off
// together; and few other atoms are, since a sub-box is convex.

#ifndef TOFU_BALANCE_REGION_FINDER_H
#define TOFU_BALANCE_REGION_FINDER_H

#include <vector>

namespace TOFU_NS {

class RegionFinder {
 public:
  /** Find all atoms within a distance of one of some atoms.

      Args:
        squares   [natoms] of distances from that sub-box
        centers   [ncenters] indices of those atoms
        reach     distance, as distances from a sub-box are counted, not negative */
  void find(const std::vector<double> &squares, const int *centers, int ncenters, double reach);

  /** Square of the distance from the sub-box up to which atoms are found. */
  static double limit_square(const std::vector<double> &squares, const int *centers, int ncenters,
                             double reach);

  /** Indices of what has been found, the centers among them, ascending. */
  const std::vector<int> &atoms() const { return atoms_; }

 private:
  std::vector<int> atoms_;
};

}    // namespace TOFU_NS

#endif
