// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_lj_cubic_threadpool.h"

#include "pair_lj_cubic_const.h"

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

void PairLJCubicThreadpool::compute(int eflag, int vflag)
{
  PairTerms terms;
  terms.short_range = ShortRange::LJ_CUBIC;
  compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
    using namespace PairLJCubicConstants;
    const double e = epsilon[i][j], rmin = sigma[i][j] * RT6TWO;
    c.lj_cubic(lj1[i][j], lj2[i][j], cut_inner[i][j], -e * DPHIDS / rmin,
               0.5 * e * A3 / (rmin * rmin * rmin), e * PHIS);
  });
}
