// SPDX-License-Identifier: GPL-2.0-only
//
// Arithmetic of three-component vectors, and the slopes of a cosine between two of them.

#ifndef TOFU_KERNELS_REAXFF_BOND_VECTORS_H
#define TOFU_KERNELS_REAXFF_BOND_VECTORS_H

#include <algorithm>

namespace TOFU_NS {

inline double dot(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

inline void cross(const double *a, const double *b, double *to)
{
  to[0] = a[1] * b[2] - a[2] * b[1];
  to[1] = a[2] * b[0] - a[0] * b[2];
  to[2] = a[0] * b[1] - a[1] * b[0];
}

/** to += factor a. */
inline void add_scaled(double *to, double factor, const double *a)
{
  for (int dim = 0; dim < 3; dim++) to[dim] += factor * a[dim];
}

/** Cosine of the angle between two vectors, and its derivatives by them. */
struct Cosine {
  double value, by_a[3], by_b[3];

  Cosine(const double *a, double length_a, const double *b, double length_b)
  {
    const double inverse = 1.0 / (length_a * length_b);
    value = std::max(-1.0, std::min(1.0, dot(a, b) * inverse));
    const double to_a = value / (length_a * length_a), to_b = value / (length_b * length_b);
    for (int dim = 0; dim < 3; dim++) {
      by_a[dim] = b[dim] * inverse - to_a * a[dim];
      by_b[dim] = a[dim] * inverse - to_b * b[dim];
    }
  }
};

}    // namespace TOFU_NS

#endif
