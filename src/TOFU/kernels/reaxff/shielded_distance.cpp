// SPDX-License-Identifier: GPL-2.0-only

#include "shielded_distance.h"

#include <cmath>
#include <cstddef>

namespace TOFU_NS {

using Real = long double;    // double would leave rounding errors in the higher coefficients

static constexpr int N = ShieldedDistance::NCOEFFICIENTS;

/** (1 + x^p)^(1/p) - 1 without overflow, and with all digits where it is small. */
static Real shielded_beyond_one(Real x, Real p)
{
  if (x <= 1.0L) return std::expm1(std::log1p(std::pow(x, p)) / p);
  return x * std::exp(std::log1p(std::pow(x, -p)) / p) - 1.0L;
}

/** The polynomial of degree N-1 through the values at N places, by Newton's divided differences.

    \param values   replaced by the coefficients, from the constant on */
static void interpolate(const Real *places, Real *values)
{
  for (int order = 1; order < N; order++)
    for (int k = N - 1; k >= order; k--)
      values[k] = (values[k] - values[k - 1]) / (places[k] - places[k - order]);
  for (int first = N - 2; first >= 0; first--)
    for (int k = first; k < N - 1; k++) values[k] -= places[first] * values[k + 1];
}

std::vector<double> ShieldedDistance::table(double p)
{
  Real places[N];    // nodes of Chebyshev in (0, 1)
  for (int k = 0; k < N; k++)
    places[k] = 0.5L - 0.5L * std::cos((k + 0.5L) / N * 3.141592653589793238L);

  std::vector<double> rows(static_cast<std::size_t>(NINTERVALS) * N);
  for (int n = 0; n < NINTERVALS; n++) {
    const Real octave = std::ldexp(Real(1), FIRST_OCTAVE + n / PER_OCTAVE);
    const Real width = octave / PER_OCTAVE, begin = octave + n % PER_OCTAVE * width;
    Real values[N], power = 1.0L;
    for (int k = 0; k < N; k++) values[k] = shielded_beyond_one(begin + places[k] * width, p);
    interpolate(places, values);
    values[0] += 1.0L;
    for (int k = 0; k < N; k++) {
      rows[static_cast<std::size_t>(n) * N + k] = static_cast<double>(values[k] / power);
      power *= width;
    }
  }
  return rows;
}

}    // namespace TOFU_NS
