// SPDX-License-Identifier: GPL-2.0-only
//
// The shielded distance of ReaxFF's van der Waals forces as a table.
//
// In units of the shielding length 1/gamma_w it is one function for all pairs of elements,
// g(x) = (1 + x^p)^(1/p), so that a polynomial takes the place of two powers.

#ifndef TOFU_KERNELS_SHIELDED_DISTANCE_H
#define TOFU_KERNELS_SHIELDED_DISTANCE_H

#include <vector>

namespace TOFU_NS {

/** Polynomials of seventh degree in the distance from the begin of their interval, 16 intervals in
    each factor of two from 2^FIRST_OCTAVE to LARGEST.  Their error is 2e-15 of g, and 1e-13 of its
    slope.  Below the first interval g is 1 to rounding. */
struct ShieldedDistance {
  static constexpr int FIRST_OCTAVE = -36, LAST_OCTAVE = 23;
  static constexpr int PER_OCTAVE = 16;
  static constexpr int NINTERVALS = (LAST_OCTAVE - FIRST_OCTAVE + 1) * PER_OCTAVE;
  static constexpr int NCOEFFICIENTS = 8;
  static constexpr double LARGEST = 16777216.0;    // 2^(LAST_OCTAVE+1)

  /** [NINTERVALS][NCOEFFICIENTS] from the constant to the seventh power.

      \param p   > 0 */
  static std::vector<double> table(double p);
};

}    // namespace TOFU_NS

#endif
