// SPDX-License-Identifier: GPL-2.0-only
//
// Lennard-Jones and Coulomb forces between the atoms of some rows.

#ifndef TOFU_KERNELS_LJ_COUL_H
#define TOFU_KERNELS_LJ_COUL_H

#include "coulomb.h"
#include "kernels/data/pair_data.h"

namespace TOFU_NS {

/** Coefficients of all pairs of types: [ntypes+1][ntypes+1][8]
      cut^2 of the pair, lj1, lj2, cut^2 of Lennard-Jones, cut^2 of Coulomb, lj3, lj4, offset */
struct LJCoulCoefficients {
  static constexpr int NCOEFFICIENTS = 8;
  int ntypes = 0;
  PairTable table;
  double qqrd2e = 0.0;           // of the unit system
  double largest_cutsq = 0.0;    // of all pairs of types
};

/** Each for rows [first, last). */
void lj_cut_coul_cut(const LJCoulCoefficients &, const PairJob &, int first, int last, PairTally &);
void lj_cut_coul_long(const LJCoulCoefficients &, const LongRange &, const PairJob &, int first,
                      int last, PairTally &);
void lj_charmm_coul_long(const LJCoulCoefficients &, const Switching &lj, const LongRange &,
                         const PairJob &, int first, int last, PairTally &);
void lj_charmm_coul_charmm(const LJCoulCoefficients &, const Switching &lj, const Switching &coul,
                           const PairJob &, int first, int last, PairTally &);

}    // namespace TOFU_NS

#endif
