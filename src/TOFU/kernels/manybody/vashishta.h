// SPDX-License-Identifier: GPL-2.0-only
//
// Forces of Vashishta's potential: half of the pairs of each center with its neighbors, and triples
// of near neighbors with the center in the middle.

#ifndef TOFU_KERNELS_VASHISHTA_H
#define TOFU_KERNELS_VASHISHTA_H

#include "center_data.h"

namespace TOFU_NS {

/** The fourth value of the rows of atoms is the number of the element; elements count from 0.  Both
    atoms of a pair must agree about its energy. */
struct VashishtaCoefficients {
  static constexpr int NPAIR = 9, NNEAR = 4, NTRIPLE = 4;
  static constexpr int LARGEST_POWER = 15;    // that is computed by multiplications
  static constexpr int PADDING = 8;           // values behind a column that may be read

  int nelements = 1;
  const double *cutsq = nullptr;    // [nelements][nelements] beyond it a pair has no energy

  /** [nelements][NPAIR][column] the other atom's element is the place in a column: H, eta,
      Z_i Z_j, 1/lambda1, D, 1/lambda4, W, derivative and energy of the pair at the cut-off, as
      LAMMPS' dvrc and c0 */
  const double *pairs = nullptr;
  int column = 1 + PADDING;     // length of a column
  bool whole_powers = false;    // all eta are whole, not negative and not above LARGEST_POWER

  const double *near_cutsq = nullptr;    // [nelements][nelements] square of r0
  const double *near = nullptr;          // [nelements][nelements][NNEAR] r0, gamma, unused, unused

  /** [nelements][nelements][nelements][NTRIPLE] B, C, cos(theta_0), unused; the first element is
      that of the center */
  const double *triples = nullptr;
};

/** Centers [first, last). */
void vashishta(const VashishtaCoefficients &, const CenterJob &);

}    // namespace TOFU_NS

#endif
