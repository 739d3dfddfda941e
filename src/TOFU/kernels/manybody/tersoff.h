// SPDX-License-Identifier: GPL-2.0-only
//
// Tersoff forces of some centers on themselves and on their neighbors.
//
// A center has half the repulsion of its pairs, and half the bond energies with its own bond order.

#ifndef TOFU_KERNELS_TERSOFF_H
#define TOFU_KERNELS_TERSOFF_H

#include "center_data.h"

namespace TOFU_NS {

/** Form of the potential: of LAMMPS' styles tersoff; tersoff/zbl; tersoff/mod and tersoff/mod/c. */
enum class TersoffForm { PLAIN, ZBL, MOD };

/** The fourth value of the rows of atoms is the number of the element; elements count from 0. */
struct TersoffCoefficients {
  static constexpr int NPAIR = 16, NTRIPLE = 12;

  TersoffForm form = TersoffForm::PLAIN;
  int nelements = 1;
  double shift = 0.0;    // added to all distances

  /** [nelements][nelements] square of the distance, not shifted, beyond which there is no neighbor
      */
  const double *cutsq = nullptr;

  /** [nelements][nelements][NPAIR] R, D, 1/D, lambda1, A, lambda2, B, beta, n, value of
      beta*zeta below which the bond order is 1; of MOD alone: power delta of the bond order, energy
      c0; of ZBL alone: Z_i Z_j e^2/(4 pi epsilon_0), 1/a_ij, ZBLcut, ZBLexpscale */
  const double *pairs = nullptr;

  /** [nelements][nelements][nelements][NTRIPLE] gamma, c^2, d^2, cos(theta_0), c^2/d^2, lambda3, m,
      unused, R, D, 1/D, unused; of MOD: c1, c2, c3, cos(theta_0), c4, lambda3, m, c5, the others as
      above.  The first element is that of the center, and R and D are for the distance to the
      third */
  const double *triples = nullptr;

  bool exponents = true;    // some lambda3 are not 0
  const double *tags =
      nullptr;    // [natoms] as in whole_weights(); nullptr: atoms agree about repulsion
};

/** Centers [first, last). */
void tersoff(const TersoffCoefficients &, const CenterJob &);

}    // namespace TOFU_NS

#endif
