// SPDX-License-Identifier: GPL-2.0-only
//
// Forces of EDIP for one element, with the tables of LAMMPS' pair style edip.

#ifndef TOFU_KERNELS_EDIP_H
#define TOFU_KERNELS_EDIP_H

#include "center_data.h"

namespace TOFU_NS {

/** Symbols are those of Justo et al., Phys. Rev. B 58, 2539 (1998).  Values between two rows of a
    table are interpolated linearly; derivatives come from formulas or tables of their own. */
struct EDIPTables {
  static constexpr int NDISTANCE = 4;

  double cutsq = 0.0, cut = 0.0;    // a, and its square
  double near = 0.0;                // c: a neighbor that is nearer counts 1

  double sigma = 0.0, gamma = 0.0, rho = 0.0, beta = 0.0;
  double lambda = 0.0, eta = 0.0, mu = 0.0;

  // by distance; row n is for start + n/density

  double start = 0.0, density = 0.0;
  int ndistances = 0;                      // # of rows, at least 2
  const double *distances = nullptr;       // [ndistances][NDISTANCE] exp(gamma/(r-a)),
                                           //   A exp(sigma/(r-a)), (B/r)^rho, f(r)
  const double *count_slopes = nullptr;    // [ndistances] df/dr

  // by coordination number Z; row n is for n/coordination_density

  double coordination_density = 0.0;
  int ncoordinations = 0;               // # of rows, at least 2
  const double *weakening = nullptr;    // [ncoordinations] exp(-beta Z^2)
  const double *q = nullptr, *tau = nullptr, *tau_slope = nullptr;    // likewise
};

/** Centers [first, last). */
void edip(const EDIPTables &, const CenterJob &);

}    // namespace TOFU_NS

#endif
