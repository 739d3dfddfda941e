// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_lj_spica_coul_msm_threadpool.h"

#include "error.h"
#include "force.h"
#include "kspace.h"
#include "lj_spica_common.h"

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

void PairLJSPICACoulMSMThreadpool::compute(int eflag, int vflag)
{
  if (force->kspace->scalar_pressure_flag)
    error->all(FLERR,
               "Must use 'kspace_modify pressure/scalar no' with pair style lj/spica/coul/msm");

  const PairTerms terms =
      terms_on_pool.with_multilevel_sum(this, ShortRange::SPICA, cut_coul, true);
  compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
    c.cutoffs(cut_ljsq[i][j], cut_coulsq);
    c.spica(lj1[i][j], lj2[i][j], LJSPICAParms::lj_pow1[lj_type[i][j]],
            LJSPICAParms::lj_pow2[lj_type[i][j]], offset[i][j]);
  });
}
