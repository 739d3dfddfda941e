// SPDX-License-Identifier: GPL-2.0-only
//
// Forces of EDIP for any number of elements, with the formulas of LAMMPS' pair style edip/multi.

#ifndef TOFU_KERNELS_EDIP_MULTI_H
#define TOFU_KERNELS_EDIP_MULTI_H

#include "center_data.h"

namespace TOFU_NS {

/** Symbols are those of Justo et al., Phys. Rev. B 58, 2539 (1998).  The fourth value of the rows
    of atoms is the number of the element; elements count from 0, and the first of a pair or triple
    is that of the center.  Triples must not depend on the order of the other two. */
struct EDIPCoefficients {
  static constexpr int NPAIR = 12, NTRIPLE = 8;
  static constexpr double GAP = 1e-6;    // interval at a and c in which functions have their limits

  int nelements = 1;
  const double *cutsq = nullptr;    // [nelements][nelements] a^2

  /** [nelements][nelements][NPAIR] A, B, rho, sigma, a, c, alpha, gamma, beta, three unused; B is
      not 0 */
  const double *pairs = nullptr;

  /** [nelements][nelements][nelements][NTRIPLE] Q0, mu, lambda, eta, u1, u2, u3, u4 */
  const double *triples = nullptr;
};

/** Centers [first, last). */
void edip_multi(const EDIPCoefficients &, const CenterJob &);

}    // namespace TOFU_NS

#endif
