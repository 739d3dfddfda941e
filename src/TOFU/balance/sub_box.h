// SPDX-License-Identifier: GPL-2.0-only
//
// Distances of atoms from the sub-box of another rank.
//
// The distance is computed from fractions of the box times the lengths of the box.  In an
// orthogonal box it is the true distance.  In a triclinic box it differs from that, but a sub-box
// has right angles in it.

#ifndef TOFU_BALANCE_SUB_BOX_H
#define TOFU_BALANCE_SUB_BOX_H

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstddef>

namespace TOFU_NS {

/** Bounds of a sub-box as fractions of the box. */
struct SubBox {
  std::array<double, 3> lo, hi;
};

/** A box, and how lengths are counted in it. */
struct BoxMetric {
  std::array<double, 3> lo;         // its corner, distance
  std::array<double, 3> lengths;    // distance
  std::array<double, 6> inverse;    // Domain::h_inv: xx, yy, zz, yz, xz, xy; 1/distance

  /** Position as fractions of the box, both [3]. */
  void find_fraction(const double *x, double *fraction) const
  {
    const double dx = x[0] - lo[0], dy = x[1] - lo[1], dz = x[2] - lo[2];
    fraction[0] = inverse[0] * dx + inverse[5] * dy + inverse[4] * dz;
    fraction[1] = inverse[1] * dy + inverse[3] * dz;
    fraction[2] = inverse[2] * dz;
  }

  /** Upper bound of a distance of square_from() over the true distance; 1 in an orthogonal box.
      The matrix from the one to the other stretches no vector by more than the root of its largest
      row sum times its largest column sum. */
  double stretch() const
  {
    const double xx = std::fabs(lengths[0] * inverse[0]), xy = std::fabs(lengths[0] * inverse[5]),
                 xz = std::fabs(lengths[0] * inverse[4]), yy = std::fabs(lengths[1] * inverse[1]),
                 yz = std::fabs(lengths[1] * inverse[3]), zz = std::fabs(lengths[2] * inverse[2]);
    return std::sqrt(std::max({xx + xy + xz, yy + yz, zz}) * std::max({xx, xy + yy, xz + yz + zz}));
  }
};

/** Square of the distance of a place from a sub-box.  A place that is not a number is far away.

    \param fraction   [3]
    \param box        sub-box of the other rank
    \param lengths    of the box, distance */
inline double square_from(const double *fraction, const SubBox &box,
                          const std::array<double, 3> &lengths)
{
  double sum = 0.0;
  for (int dim = 0; dim < 3; dim++) {
    const double outside =
        std::max(box.lo[dim] - fraction[dim], fraction[dim] - box.hi[dim]) * lengths[dim];
    const double gap = outside < 0.0 ? 0.0 : outside;    // not a number remains so
    sum += gap * gap;
  }
  return sum <= DBL_MAX ? sum : DBL_MAX;
}

/** The same for many places.

    \param metric    of the box
    \param x         [natoms][3] distance
    \param natoms    # of atoms
    \param box       sub-box of the other rank
    \param squares   [natoms] of distance, filled in */
inline void find_squares(const BoxMetric &metric, const double *x, int natoms, const SubBox &box,
                         double *squares)
{
  for (int i = 0; i < natoms; i++) {
    double fraction[3];
    metric.find_fraction(x + 3 * static_cast<std::size_t>(i), fraction);
    squares[i] = square_from(fraction, box, metric.lengths);
  }
}

}    // namespace TOFU_NS

#endif
