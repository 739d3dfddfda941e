// SPDX-License-Identifier: GPL-2.0-only
//
// Stillinger-Weber forces of some centers on themselves and on their neighbors.
//
// A center has half the energy of its pairs, and the energy of all triples with the center in the
// middle.

#ifndef TOFU_KERNELS_SW_H
#define TOFU_KERNELS_SW_H

#include "center_data.h"

namespace TOFU_NS {

/** The fourth value of the rows of atoms is the number of the element; elements count from 0. */
struct SWCoefficients {
  static constexpr int NPAIR = 8, NTRIPLE = 4;

  int nelements = 1;
  const double *cutsq = nullptr;    // [nelements][nelements] beyond it there is no pair

  /** [nelements][nelements][NPAIR] cut, sigma, sigma*gamma, p, q,
        A epsilon B sigma^p, A epsilon sigma^q, unused */
  const double *pairs = nullptr;

  /** [nelements][nelements][nelements][NTRIPLE] lambda*epsilon, cos(theta_0), unused, unused; the
      first element is that of the center */
  const double *triples = nullptr;

  int p = -1, q = -1;    // powers, if they are small integers, the same for all pairs; else -1
  const double *tags =
      nullptr;    // [natoms] as in whole_weights(); nullptr: atoms agree about pairs

  /** Style sw/mod: the weight of differences of cos(theta) falls from delta1 on to 0 at delta2. */
  bool modified = false;
  double delta1 = 0.0, delta2 = 0.0;
};

/** Centers [first, last). */
void stillinger_weber(const SWCoefficients &, const CenterJob &);

}    // namespace TOFU_NS

#endif
