// SPDX-License-Identifier: GPL-2.0-only

#include "region_finder.h"

#include <algorithm>
#include <cmath>

namespace TOFU_NS {

/* ----------------------------------------------------------------------
   a center may be as far away as can be, since its place is not a number; then
   all are found
------------------------------------------------------------------------- */

double RegionFinder::limit_square(const std::vector<double> &squares, const int *centers,
                                  int ncenters, double reach)
{
  static constexpr double LARGER = 1.0 + 1.0e-6;    // by more than rounding can do

  if (ncenters == 0) return -1.0;
  double farthest = 0.0;
  for (int n = 0; n < ncenters; n++) farthest = std::max(farthest, squares[centers[n]]);
  const double limit = (std::sqrt(farthest) + reach) * LARGER;
  return limit * limit;
}

/* ---------------------------------------------------------------------- */

void RegionFinder::find(const std::vector<double> &squares, const int *centers, int ncenters,
                        double reach)
{
  const double most = limit_square(squares, centers, ncenters, reach);
  const int natoms = static_cast<int>(squares.size());
  atoms_.resize(natoms);
  int n = 0;
  for (int i = 0; i < natoms; i++) {    // without branches on what chance decides
    atoms_[n] = i;
    n += squares[i] <= most;
  }
  atoms_.resize(n);
}

}    // namespace TOFU_NS
