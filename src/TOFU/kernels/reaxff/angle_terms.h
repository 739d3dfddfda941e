// SPDX-License-Identifier: GPL-2.0-only
//
// Energies of valence angles, with penalty and coalition (three-body conjugation).

#ifndef TOFU_KERNELS_REAXFF_ANGLE_TERMS_H
#define TOFU_KERNELS_REAXFF_ANGLE_TERMS_H

#include "bond_rows.h"

namespace TOFU_NS {

/** Angles around the atoms of the owned rows [first, last). */
void angle_terms(const ReaxSystem &, BondRows &, int first, int last, ReaxTally &);

}    // namespace TOFU_NS

#endif
