// SPDX-License-Identifier: GPL-2.0-only
//
// Buckingham and Morse forces between the atoms of some rows.

#ifndef TOFU_KERNELS_EXPONENTIAL_H
#define TOFU_KERNELS_EXPONENTIAL_H

#include "kernels/data/pair_data.h"

namespace TOFU_NS {

/** Coefficients of all pairs of types: [ntypes+1][ntypes+1][8]
      Buckingham   cut^2, buck1, buck2, 1/rho, a, c, offset, unused
      Morse        cut^2, morse1, alpha, r0, d0, offset, unused, unused */
struct ExponentialCoefficients {
  static constexpr int NCOEFFICIENTS = 8;
  int ntypes = 0;
  PairTable table;
};

/** Each for rows [first, last). */
void buckingham(const ExponentialCoefficients &, const PairJob &, int first, int last, PairTally &);
void morse(const ExponentialCoefficients &, const PairJob &, int first, int last, PairTally &);

}    // namespace TOFU_NS

#endif
