// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_edip_threadpool.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

// the tables of PairEDIP

static constexpr int GRIDDENSITY = 8000;
static constexpr double GRIDSTART = 0.1;
static constexpr int MAXCOORDINATION = 64;

/* ---------------------------------------------------------------------- */

void PairEDIPThreadpool::fill_tables()
{
  all = EDIPTables();
  all.cut = cutoffA;
  all.cutsq = cutoffA * cutoffA;
  all.near = cutoffC;
  all.sigma = sigma;
  all.gamma = gamm;
  all.rho = rho;
  all.beta = beta;
  all.lambda = lambda;
  all.eta = eta;
  all.mu = mu;

  all.coordination_density = GRIDDENSITY;
  all.ncoordinations = MAXCOORDINATION * GRIDDENSITY + 2;
  all.weakening = expMinusBetaZeta_iZeta_iGrid;
  all.q = qFunctionGrid;
  all.tau = tauFunctionGrid;
  all.tau_slope = tauFunctionDerivedGrid;
  fill_distances();
}

/* ----------------------------------------------------------------------
   a neighbor at the cut-off does not count: there LAMMPS' table of the cut-off
   function may end one value too early, or have an infinite one
------------------------------------------------------------------------- */

void PairEDIPThreadpool::fill_distances()
{
  const int nrows = static_cast<int>((cutoffA - GRIDSTART) * GRIDDENSITY) + 2;
  const int ncounts = static_cast<int>((cutoffC - GRIDSTART) * GRIDDENSITY) +
      static_cast<int>((cutoffA - cutoffC) * GRIDDENSITY) + 2;
  distances.assign(static_cast<std::size_t>(nrows) * EDIPTables::NDISTANCE, 0.0);
  count_slopes.assign(nrows, 0.0);
  for (int n = 0; n < nrows; n++) {
    double *const row = &distances[static_cast<std::size_t>(n) * EDIPTables::NDISTANCE];
    row[0] = exp3B[n];
    row[1] = exp2B[n];
    row[2] = pow2B[n];
    if (n >= std::min(ncounts, nrows - 1) || !std::isfinite(cutoffFunction[n])) continue;
    row[3] = cutoffFunction[n];
    count_slopes[n] = cutoffFunctionDerived[n];
  }
  all.start = GRIDSTART;
  all.density = GRIDDENSITY;
  all.ndistances = nrows;
  all.distances = distances.data();
  all.count_slopes = count_slopes.data();
}
