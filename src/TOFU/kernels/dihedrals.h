// SPDX-License-Identifier: GPL-2.0-only
//
// Forces of dihedrals and impropers.

#ifndef TOFU_KERNELS_DIHEDRALS_H
#define TOFU_KERNELS_DIHEDRALS_H

#include "bonded_data.h"

namespace TOFU_NS {

// remarkable are those whose cosine is off the range from -1 to 1 by more than rounding

/** k (1 + cos(n phi - d)); coefficients k, n, cos(d), sin(d). */
void dihedral_cosine(const BondedCoefficients &, const BondedJob &, PairTally &);

/** Coefficients: the halves of k1, k2, k3, k4. */
void dihedral_opls(const BondedCoefficients &, const BondedJob &, PairTally &);

/** Coefficients k, chi. */
void improper_harmonic(const BondedCoefficients &, const BondedJob &, PairTally &);

}    // namespace TOFU_NS

#endif
