// SPDX-License-Identifier: GPL-2.0-only
//
// Repulsion of the first and last atoms of angles of the SPICA force field.

#ifndef TOFU_KERNELS_ONE_THREE_PAIRS_H
#define TOFU_KERNELS_ONE_THREE_PAIRS_H

#include "bonded_data.h"

namespace TOFU_NS {

/** Tables of the pair style: powers and coefficients of both terms, by types of atoms. */
struct OneThreeTables {
  const int *type = nullptr;                                    // [natoms]
  const int *const *kind = nullptr;                             // [ntypes+1][ntypes+1] of powers
  const double *powers1 = nullptr, *powers2 = nullptr;          // [kinds] 9 or 12; 4, 5 or 6
  const double *const *lj1 = nullptr, *const *lj2 = nullptr;    // [ntypes+1][ntypes+1] force
  const double *const *lj3 = nullptr, *const *lj4 = nullptr;    // likewise, energy
  const double *const *rminsq = nullptr;    // likewise; from this square on there is no force
  const double *const *emin = nullptr;      // likewise, the energy there
};

/** Interactions of two atoms; their types are not used. */
void one_three_pairs(const OneThreeTables &, const BondedJob &, PairTally &);

}    // namespace TOFU_NS

#endif
