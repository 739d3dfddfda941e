// SPDX-License-Identifier: GPL-2.0-only

#include "jkr.h"

#include <cmath>

using namespace TOFU_NS;

static constexpr double PI = 3.14159265358979323846;

/* ---------------------------------------------------------------------- */

double TOFU_NS::jkr_reach(const JkrSpheres &s)
{
  static const double factor = std::cbrt(3.0 * PI * PI / 16.0);
  return factor * std::cbrt(s.reff * s.cohesion * s.cohesion / (s.modulus * s.modulus));
}

/* ----------------------------------------------------------------------
   the largest root of a polynomial of fourth degree, in the form of Parteli
   et al, Sci Rep 4, 6227 (2014)
------------------------------------------------------------------------- */

double TOFU_NS::jkr_radius(const JkrSpheres &s, double depth)
{
  static const double root3 = std::sqrt(3.0), root6 = std::sqrt(6.0);
  const double e = s.modulus, r2 = s.reff * s.reff, d = depth * s.reff, d2 = d * d;
  const double adhesion = s.cohesion * s.cohesion * r2 * r2 * e;
  const double pull = 27.0 * PI * PI * adhesion, push = 8.0 * d * d2 * e * e * e;
  const double root = std::sqrt(std::fmax(0.0, adhesion * (pull + 2.0 * push)));
  const double cubic = std::cbrt(pull + push + 3.0 * root3 * PI * root);
  const double sum = 4.0 * d2 * e / cubic + cubic / e;
  const double inner = std::sqrt(std::fmax(0.0, 2.0 * d + sum));
  const double outer = 4.0 * d - sum + 6.0 * root6 * s.cohesion * PI * r2 / (e * inner);
  return (inner + std::sqrt(std::fmax(0.0, outer))) / root6;
}
