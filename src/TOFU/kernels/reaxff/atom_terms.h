// SPDX-License-Identifier: GPL-2.0-only
//
// Energies of bonds, triple bonds, lone pairs, C2, over- and undercoordination, polarization.

#ifndef TOFU_KERNELS_REAXFF_ATOM_TERMS_H
#define TOFU_KERNELS_REAXFF_ATOM_TERMS_H

#include "bond_rows.h"

namespace TOFU_NS {

/** Terms of the owned rows [first, last): energies, and derivatives by orders. */
void atom_terms(const ReaxSystem &, BondRows &, int first, int last, ReaxTally &);

}    // namespace TOFU_NS

#endif
