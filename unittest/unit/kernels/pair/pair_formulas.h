// SPDX-License-Identifier: GPL-2.0-only
//
// Formulas that pair potentials have in common, as LAMMPS writes them.

#ifndef TOFU_TEST_PAIR_FORMULAS_H
#define TOFU_TEST_PAIR_FORMULAS_H

#include "kernels/pair/coulomb.h"

#include <cmath>

namespace TOFU_TEST {

/** Factors of the energy and of the force of bare charges in the direct part of an Ewald sum. */
struct EwaldFactors {
  double energy, force;
};

/** The energy's is the complementary error function, by the series of Abramowitz and Stegun.

    \param x   distance times splitting parameter */
inline EwaldFactors ewald_factors(double x)
{
  const double expm2 = std::exp(-x * x), t = 1.0 / (1.0 + 0.3275911 * x);
  const double series = -1.453152027 + t * 1.061405429;
  const double erfc =
      t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * series))) * expm2;
  return {erfc, erfc + 1.12837917 * x * expm2};
}

inline TOFU_NS::Switching make_switching(double inner, double outer)
{
  const double width = outer * outer - inner * inner;
  return {inner * inner, outer * outer, 1.0 / (width * width * width)};
}

/** CHARMM's switching function, between its limits. */
inline double switched(const TOFU_NS::Switching &s, double rsq)
{
  const double gap = s.outersq - rsq;
  return gap * gap * (s.outersq + 2.0 * rsq - 3.0 * s.innersq) * s.inverse_denominator;
}

/** Its derivative by the distance. */
inline double slope_of_switched(const TOFU_NS::Switching &s, double rsq)
{
  return -12.0 * std::sqrt(rsq) * (s.outersq - rsq) * (rsq - s.innersq) * s.inverse_denominator;
}

}    // namespace TOFU_TEST

#endif
