// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/charmm/coul/msm/threadpool,PairLJCharmmCoulMSMThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_CHARMM_COUL_MSM_THREADPOOL_H
#define LMP_PAIR_LJ_CHARMM_COUL_MSM_THREADPOOL_H

#include "pair_lj_charmm_coul_msm.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairLJCharmmCoulMSMThreadpool : public PairTermsStyle<PairLJCharmmCoulMSM> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms =
        terms_on_pool.with_multilevel_sum(this, ShortRange::LJ_CHARMM, cut_coul, true);
    terms.lj_switch = {cut_lj_innersq, cut_ljsq, denom_lj_inv};
    compute_multilevel_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.cutoffs(cut_ljsq, cut_coulsq);
      c.lj(lj1[i][j], lj2[i][j], 0.0);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
