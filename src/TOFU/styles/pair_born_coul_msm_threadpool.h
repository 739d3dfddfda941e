// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(born/coul/msm/threadpool,PairBornCoulMSMThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_BORN_COUL_MSM_THREADPOOL_H
#define LMP_PAIR_BORN_COUL_MSM_THREADPOOL_H

#include "pair_born_coul_msm.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairBornCoulMSMThreadpool : public PairTermsStyle<PairBornCoulMSM> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    const PairTerms terms =
        terms_on_pool.with_multilevel_sum(this, ShortRange::BORN, cut_coul, false);
    compute_multilevel_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.cutoffs(cut_ljsq[i][j], cut_coulsq);
      c.born(rhoinv[i][j], sigma[i][j], born1[i][j], born2[i][j], born3[i][j], offset[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
