// SPDX-License-Identifier: GPL-2.0-only
//
// Forces of bonds.  The energy depends on orders of bonds and on their sums; each corrected order
// depends on the raw order of its bond and on the raw sums of both ends.  When the derivatives by
// all raw sums are known, the force of a bond is one number along it.
//
// With s = c_ij + c_ji of an order, its derivative seen from both ends, and D = s + those by the
// corrected sums of both ends, X = bo_pi s_pi + bo_pipi s_pipi:
//   by the raw order of the bond       B    = (a0 + bo a1) D + a1 X
//   by the raw sum of the end at hand  a   += bo a2 D + a3 X
// and the force is (B + a_i + a_j) slope + c_pi (s_pi slope_pi + s_pipi slope_pipi).

#ifndef TOFU_KERNELS_REAXFF_BOND_SLOPES_H
#define TOFU_KERNELS_REAXFF_BOND_SLOPES_H

#include "bond_rows.h"

namespace TOFU_NS {

// in this order, each for all rows before the next

/** Take what torsions have pushed to bonds, and sum up derivatives by corrected sums. */
void gather_derivatives(BondRows &, int first, int last);

/** Derivatives by raw sums. */
void sum_raw_derivatives(BondRows &, int first, int last);

/** Add the forces on the atoms of the rows.

    \param f      [natoms][3] */
void bond_forces(BondRows &, int first, int last, double *f, ReaxTally &);

/** Add the forces on atoms without a row; by one thread. */
void forces_beyond_rows(const BondRows &, double *f);

}    // namespace TOFU_NS

#endif
