// SPDX-License-Identifier: GPL-2.0-only

#include "ewald_polynomial.h"

#include <algorithm>
#include <cmath>

using namespace TOFU_NS;

static constexpr double PI = 3.14159265358979323846;
static constexpr int LEAST = 6;         // coefficients
static constexpr int NCHECKED = 200;    // distances at which the error is looked at
static constexpr double LARGEST_ERROR = 1e-7;

namespace {

/** (erf(z) / z - 2 / sqrt(pi) exp(-z^2)) / z^2; as series where the difference would cancel.

    \param zsq   z^2 */
double mesh_part(double zsq)
{
  if (zsq > 1.0) {
    const double z = std::sqrt(zsq);
    return (std::erf(z) / z - 2.0 / std::sqrt(PI) * std::exp(-zsq)) / zsq;
  }
  constexpr int NTERMS = 20;
  double sum = 0.0, term = 4.0 / std::sqrt(PI);
  for (int m = 0; m < NTERMS; m++) {
    sum += term / (2 * m + 3);
    term *= -zsq / (m + 1);
  }
  return sum;
}

/** Chebyshev coefficients of the polynomial that is exact at n places.

    \param end   z^2 at u = 1 */
void interpolate(double end, int n, double *chebyshev)
{
  double values[EwaldPolynomial::MOST];
  for (int j = 0; j < n; j++)
    values[j] = mesh_part(0.5 * end * (1.0 + std::cos(PI * (j + 0.5) / n)));
  for (int k = 0; k < n; k++) {
    chebyshev[k] = 0.0;
    for (int j = 0; j < n; j++) chebyshev[k] += values[j] * std::cos(PI * k * (j + 0.5) / n);
    chebyshev[k] *= (k ? 2.0 : 1.0) / n;
  }
}

/** Powers of u in place of Chebyshev polynomials, the highest first. */
void to_powers(const double *chebyshev, int n, double *c)
{
  double before[EwaldPolynomial::MOST] = {}, now[EwaldPolynomial::MOST] = {1.0};
  std::fill_n(c, n, 0.0);
  for (int k = 0; k < n; k++) {
    for (int power = 0; power <= k; power++) c[n - 1 - power] += chebyshev[k] * now[power];
    double next[EwaldPolynomial::MOST] = {};
    for (int power = 0; power + 1 < n; power++) next[power + 1] = (k ? 2.0 : 1.0) * now[power];
    for (int power = 0; k && power < n; power++) next[power] -= before[power];
    std::copy_n(now, n, before);
    std::copy_n(next, n, now);
  }
}

/** Largest error of a force, in units of charges^2 g_ewald^2. */
double error_of(const double *c, int n, double end)
{
  double largest = 0.0;
  for (int k = 0; k <= NCHECKED; k++) {
    const double u = -1.0 + 2.0 * k / NCHECKED, zsq = 0.5 * end * (1.0 + u);
    double sum = 0.0;
    for (int power = 0; power < n; power++) sum = sum * u + c[power];
    const double error = std::sqrt(zsq) * std::fabs(sum - mesh_part(zsq));
    if (!(error <= largest)) largest = error;    // also if it is no number
  }
  return largest;
}

}    // namespace

EwaldPolynomial TOFU_NS::ewald_polynomial(double g_ewald, double cutsq)
{
  EwaldPolynomial found;
  const double end = g_ewald * g_ewald * cutsq;
  found.scale = 2.0 / cutsq;
  double chebyshev[EwaldPolynomial::MOST];
  for (int n = LEAST; n <= EwaldPolynomial::MOST; n++) {
    interpolate(end, n, chebyshev);
    to_powers(chebyshev, n, found.c);
    if (!(error_of(found.c, n, end) <= LARGEST_ERROR)) continue;
    found.n = n;
    for (double &c : found.c) c *= g_ewald * g_ewald * g_ewald;
    break;
  }
  return found;
}
