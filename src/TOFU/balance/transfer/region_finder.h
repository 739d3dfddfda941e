// SPDX-License-Identifier: GPL-2.0-only
//
// RegionFinder: the atoms around those that a rank hands over, which the rank that makes their rows
// needs.
//
// A donor gives the atoms that are the nearest to the receiver's sub-box.  An atom within the
// cut-off of one of them is therefore no farther from that sub-box than the sum of the cut-off and
// the distance of the farthest of them.  It is also no farther from a box around them than the
// cut-off.  Few other atoms are so near to both, since a sub-box is convex.

#ifndef TOFU_BALANCE_REGION_FINDER_H
#define TOFU_BALANCE_REGION_FINDER_H

#include <vector>

namespace TOFU_NS {

class RegionFinder {
 public:
  /** Find all atoms within a distance of any of the centers.

      \param squares    [natoms] of distances from the sub-box
      \param x          [natoms][3] distance
      \param centers    [ncenters] indices of the centers
      \param ncenters   # of centers
      \param cutoff     distance, not negative
      \param stretch    BoxMetric::stretch() */
  void find(const std::vector<double> &squares, const double *x, const int *centers, int ncenters,
            double cutoff, double stretch);

  /** Square of the distance from the sub-box up to which atoms may be within the cut-off.

      \param squares    [natoms] of distances from the sub-box
      \param centers    [ncenters] indices
      \param ncenters   # of centers
      \param cutoff     times the stretch */
  static double limit_square(const std::vector<double> &squares, const int *centers, int ncenters,
                             double cutoff);

  /** Indices of the atoms found, the centers among them, ascending. */
  const std::vector<int> &atoms() const { return atoms_; }

 private:
  void leave_out_far_ones(const double *x, const int *centers, int ncenters, double cutoff);

  std::vector<int> atoms_;
};

}    // namespace TOFU_NS

#endif
