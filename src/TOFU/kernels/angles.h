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

}    // namespace TOFU_NS

#endif
