// SPDX-License-Identifier: GPL-2.0-only
//
// Energies of torsions and of four-body conjugation.

#ifndef TOFU_KERNELS_REAXFF_TORSION_TERMS_H
#define TOFU_KERNELS_REAXFF_TORSION_TERMS_H

#include "bond_rows.h"

namespace TOFU_NS {

/** Torsions i-j-k-l about bonds j-k that an atom j of the owned rows [first, last) computes.  What
    they add to the bonds k-l, which are in rows of others, is in torsion_pushes[chunk], which is
    cleared before. */
void torsion_terms(const ReaxSystem &, BondRows &, int chunk, int first, int last, ReaxTally &);

}    // namespace TOFU_NS

#endif
