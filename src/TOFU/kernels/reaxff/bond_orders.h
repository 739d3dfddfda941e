// SPDX-License-Identifier: GPL-2.0-only
//
// Bond orders: from distances, corrected for what the neighbors' orders add up to, and their sums.

#ifndef TOFU_KERNELS_BOND_ORDERS_H
#define TOFU_KERNELS_BOND_ORDERS_H

#include "bond_rows.h"

namespace TOFU_NS {

/** Set the reaches of a pair from its other parameters: its bonds end where the sum of orders falls
    below bo_cut, and at bond_cut. */
void set_reaches(const ReaxTables &, ReaxTables::Pair &);

/** # of candidates within the reach of an atom: as many bonds at most, and most often. */
int count_near(const ReaxSystem &, int atom, const int *candidates, int n);

/** Find the bonds of an atom, in the order of its candidates.  All but `reverse` is set; `row` is
    none yet.

    \param bonds   room for count_near()
    \return        # of bonds */
int find_bonds(const ReaxSystem &, int atom, const int *candidates, int n, ReaxBond *bonds);

/** Deltap of the rows [first, last). */
void sum_raw_orders(const ReaxSystem &, BondRows &, int first, int last);

/** Corrected orders of bonds between a row of [first, last), which have corrected orders, and any
    later row; the bonds of both rows are set. */
void correct_orders(const ReaxSystem &, BondRows &, int first, int last);

/** Sums of corrected orders of the rows [first, last), and factors of torsions. */
void sum_orders(const ReaxSystem &, BondRows &, int first, int last);

}    // namespace TOFU_NS

#endif
