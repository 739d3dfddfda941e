// SPDX-License-Identifier: GPL-2.0-only
//
// Comparisons of forces, virials and derivatives, relative to the largest of all values.

#ifndef TOFU_TEST_COMPARED_VALUES_H
#define TOFU_TEST_COMPARED_VALUES_H

#include "unit/testing.h"

namespace TOFU_TEST {

/** Both dimensions of each component of a virial. */
constexpr int VIRIAL_DIMS[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

inline double largest(const std::vector<double> &values)
{
  double found = 0.0;
  for (double value : values) found = std::max(found, std::fabs(value));
  return found;
}

/** Expect equal values, but for a part of the largest one.

    \param stride   number of values of an atom */
inline void expect_near(const std::vector<double> &expected, const std::vector<double> &found,
                        double part, std::size_t stride = 1)
{
  ASSERT_EQ(expected.size(), found.size());
  const double allowed = part * largest(expected);
  for (std::size_t n = 0; n < expected.size(); n++)
    ASSERT_NEAR(found[n], expected[n], allowed) << "atom " << n / stride;
}

/** A component of the virial of all atoms.

    \param rows     [natoms][4] positions
    \param f        [natoms][stride] forces */
inline double virial_of(int component, int natoms, const std::vector<double> &rows,
                        const std::vector<double> &f, int stride)
{
  const auto [a, b] = VIRIAL_DIMS[component];
  double sum = 0.0;
  for (int i = 0; i < natoms; i++) sum += rows[4 * i + a] * f[stride * i + b];
  return sum;
}

/** Derivative of an energy by a coordinate.

    \param energy   () -> energy with the present coordinate */
template <class Energy> double slope_of(double &x, const Energy &energy)
{
  const double h = 1e-5, before = x;
  x = before + h;
  const double after = energy();
  x = before - h;
  const double slope = (after - energy()) / (2 * h);
  x = before;
  return slope;
}

}    // namespace TOFU_TEST

#endif
