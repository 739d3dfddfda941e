// SPDX-License-Identifier: GPL-2.0-only

#include "region_finder.h"

#include <algorithm>
#include <cmath>

namespace TOFU_NS {

static constexpr double LARGER = 1.0 + 1.0e-6;    // by more than rounding can do

/* ---------------------------------------------------------------------- */

double RegionFinder::limit_square(const std::vector<double> &squares, const int *centers,
                                  int ncenters, double cutoff)
{
  if (ncenters == 0) return -1.0;
  double farthest = 0.0;
  for (int n = 0; n < ncenters; n++) farthest = std::max(farthest, squares[centers[n]]);
  const double limit = (std::sqrt(farthest) + cutoff) * LARGER;
  return limit * limit;
}

/* ---------------------------------------------------------------------- */

void RegionFinder::find(const std::vector<double> &squares, const double *x, const int *centers,
                        int ncenters, double cutoff, double stretch)
{
  const double most = limit_square(squares, centers, ncenters, cutoff * stretch);
  const int natoms = static_cast<int>(squares.size());
  atoms_.resize(natoms);
  int n = 0;
  for (int i = 0; i < natoms; i++) {    // without branches on what chance decides
    atoms_[n] = i;
    n += squares[i] <= most;
  }
  atoms_.resize(n);
  if (n > ncenters) leave_out_far_ones(x, centers, ncenters, cutoff);
}

/* ----------------------------------------------------------------------
   from the box around the centers: images through periodic boundaries at its
   sides, mostly
------------------------------------------------------------------------- */

void RegionFinder::leave_out_far_ones(const double *x, const int *centers, int ncenters,
                                      double cutoff)
{
  const auto place = [=](int i) {
    return x + 3 * static_cast<std::size_t>(i);
  };
  double lo[3], hi[3];
  for (int dim = 0; dim < 3; dim++) {
    lo[dim] = hi[dim] = place(centers[0])[dim];
    for (int n = 1; n < ncenters; n++) {
      lo[dim] = std::min(lo[dim], place(centers[n])[dim]);
      hi[dim] = std::max(hi[dim], place(centers[n])[dim]);
    }
    const double farther = cutoff * LARGER + (hi[dim] - lo[dim]) * (LARGER - 1.0);
    lo[dim] -= farther;
    hi[dim] += farther;
  }
  std::size_t n = 0;
  for (int i : atoms_) {
    bool near = true;
    for (int dim = 0; dim < 3; dim++) near &= place(i)[dim] >= lo[dim] && place(i)[dim] <= hi[dim];
    atoms_[n] = i;
    n += near;
  }
  atoms_.resize(n);
}

}    // namespace TOFU_NS
