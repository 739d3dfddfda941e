// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_lj_spica_threadpool.h"

#include "lj_spica_common.h"

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

void PairLJSPICAThreadpool::compute(int eflag, int vflag)
{
  PairTerms terms;
  terms.short_range = ShortRange::SPICA;
  compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
    c.spica(lj1[i][j], lj2[i][j], LJSPICAParms::lj_pow1[lj_type[i][j]],
            LJSPICAParms::lj_pow2[lj_type[i][j]], offset[i][j]);
  });
}
