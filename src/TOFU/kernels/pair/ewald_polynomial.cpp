// SPDX-License-Identifier: GPL-2.0-only

#include "ewald_polynomial.h"

#include <algorithm>
#include <cmath>

using namespace TOFU_NS;

static constexpr double PI = 3.14159265358979323846;
static constexpr int LEAST = 6, LEAST_OF_PIECES = 5;    // coefficients
static constexpr int NCHECKED = 200;                    // distances at which the error is looked at
static constexpr double LARGEST_ERROR = 1e-7;

namespace {

/** Values of z^2 for u from -1 to 1. */
struct Range {
  double middle, half;

  double operator()(double u) const { return middle + half * u; }
};

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

/** Chebyshev coefficients of the polynomial that is exact at n places. */
void interpolate(const Range &range, int n, double *chebyshev)
{
  double values[EwaldPolynomial::MOST];
  for (int j = 0; j < n; j++) values[j] = mesh_part(range(std::cos(PI * (j + 0.5) / n)));
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
double error_of(const double *c, int n, const Range &range)
{
  double largest = 0.0;
  for (int k = 0; k <= NCHECKED; k++) {
    const double u = -1.0 + 2.0 * k / NCHECKED, zsq = std::max(range(u), 0.0);
    double sum = 0.0;
    for (int power = 0; power < n; power++) sum = sum * u + c[power];
    const double error = std::sqrt(zsq) * std::fabs(sum - mesh_part(zsq));
    if (!(error <= largest)) largest = error;    // also if it is no number
  }
  return largest;
}

/** Coefficients of powers of u, the highest first.

    \return   whether they are exact enough */
bool find_powers(const Range &range, int n, double *c)
{
  double chebyshev[EwaldPolynomial::MOST];
  interpolate(range, n, chebyshev);
  to_powers(chebyshev, n, c);
  return error_of(c, n, range) <= LARGEST_ERROR;
}

/** All pieces of n coefficients.

    \param scale   pieces for each z^2
    \return        whether they are exact enough */
bool find_pieces(double scale, int n, EwaldPieces &found)
{
  for (int piece = 0; piece < EwaldPieces::NPIECES; piece++) {
    double c[EwaldPieces::MOST];
    if (!find_powers({piece / scale, 0.5 / scale}, n, c)) return false;
    for (int k = 0; k < n; k++) found.c[k][piece] = std::ldexp(c[k], n - 1 - k);    // of 2 u
  }
  return true;
}

}    // namespace

EwaldPolynomial TOFU_NS::ewald_polynomial(double g_ewald, double cutsq)
{
  EwaldPolynomial found;
  const double half = 0.5 * g_ewald * g_ewald * cutsq;
  found.scale = 2.0 / cutsq;
  for (int n = LEAST; n <= EwaldPolynomial::MOST; n++) {
    if (!find_powers({half, half}, n, found.c)) continue;
    found.n = n;
    for (double &c : found.c) c *= g_ewald * g_ewald * g_ewald;
    break;
  }
  return found;
}

EwaldPieces TOFU_NS::ewald_pieces(double g_ewald, double cutsq)
{
  constexpr double END =
      EwaldPieces::NPIECES - 0.51;    // t is below 15.5 at the cut-off, in single precision, too
  EwaldPieces found;
  found.scale = END / cutsq;
  for (int n = LEAST_OF_PIECES; n <= EwaldPieces::MOST; n++) {
    if (!find_pieces(END / (g_ewald * g_ewald * cutsq), n, found)) continue;
    found.n = n;
    for (auto &of_pieces : found.c)
      for (double &c : of_pieces) c *= g_ewald * g_ewald * g_ewald;
    break;
  }
  return found;
}
