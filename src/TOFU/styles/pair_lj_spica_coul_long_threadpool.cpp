// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_lj_spica_coul_long_threadpool.h"

#include "lj_spica_common.h"

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

void PairLJSPICACoulLongThreadpool::compute(int eflag, int vflag)
{
  const PairTerms terms =
      terms_on_pool.with_long_range(this, ShortRange::SPICA, g_ewald, cut_coulsq);
  compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
    c.cutoffs(cut_ljsq[i][j], cut_coulsq);
    c.spica(lj1[i][j], lj2[i][j], LJSPICAParms::lj_pow1[lj_type[i][j]],
            LJSPICAParms::lj_pow2[lj_type[i][j]], offset[i][j]);
  });
}
