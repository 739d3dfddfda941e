// SPDX-License-Identifier: GPL-2.0-only
//
// Lennard-Jones forces between the atoms of some rows.

#ifndef TOFU_KERNELS_LJ_CUT_H
#define TOFU_KERNELS_LJ_CUT_H

#include "kernels/data/pair_data.h"

namespace TOFU_NS {

struct LJCutCoefficients {
  static constexpr int NCOEFFICIENTS = 8;    // cut^2, lj1, lj2, unused, lj3, lj4, offset, unused
  int ntypes = 0;
  PairTable table;    // [ntypes+1][ntypes+1][NCOEFFICIENTS]
};

/** Rows [first, last). */
void lj_cut(const LJCutCoefficients &, const PairJob &, int first, int last, PairTally &);

}    // namespace TOFU_NS

#endif
