// SPDX-License-Identifier: GPL-2.0-only
//
// Forces of angles.

#ifndef TOFU_KERNELS_ANGLES_H
#define TOFU_KERNELS_ANGLES_H

#include "bonded_data.h"

namespace TOFU_NS {

/** Coefficients k, theta0. */
void angle_harmonic(const BondedCoefficients &, const BondedJob &, PairTally &);

/** Coefficients k, theta0, and k and r0 of the bond between the first and the last atom
    (Urey-Bradley). */
void angle_charmm(const BondedCoefficients &, const BondedJob &, PairTally &);

/** Angles whose energy is a function of the cosine c or of the angle theta, and their coefficients.
    */
enum class AngleForm {
  COSINE,         // e0 + e1 dc + e2 dc^2 with dc = c - c0; e0, e1, e2, c0
  PERIODIC,       // e0 - k cos(n theta); k, n, e0
  POLYNOMIAL,     // k2 dt^2 + k3 dt^3 + k4 dt^4; k2, k3, k4, theta0
  CLASS2,         // POLYNOMIAL, and products with the lengths of the sides; k2, k3, k4, theta0
  CLASS2_P6,      // CLASS2 + k5 dt^5 + k6 dt^6; those of CLASS2
  TABLE,          // none
  COSINE_SHIFT    // e0 - a c - b s with the sine s; e0, a, b
};

/** Additional coefficients of CLASS2, CLASS2_P6 and TABLE. */
struct AngleFormTables {
  // k, r1, r2 of both sides, 0; k1, k2, r1, r2 of side and angle; k5, k6 of CLASS2_P6, 0, 0
  static constexpr int NCROSS = 12;
  const double *cross = nullptr;    // [ntypes+1][NCROSS]
  const BondedTables *tables = nullptr;
};

/** With TABLE, angles that are not a number are appended to BondedJob::flagged. */
void angle_of_form(AngleForm, const AngleFormTables &, const BondedCoefficients &,
                   const BondedJob &, PairTally &);

}    // namespace TOFU_NS

#endif
