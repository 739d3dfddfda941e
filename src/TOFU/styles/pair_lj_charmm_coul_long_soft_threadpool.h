// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/charmm/coul/long/soft/threadpool,PairLJCharmmCoulLongSoftThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_CHARMM_COUL_LONG_SOFT_THREADPOOL_H
#define LMP_PAIR_LJ_CHARMM_COUL_LONG_SOFT_THREADPOOL_H

#include "pair_lj_charmm_coul_long_soft.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairLJCharmmCoulLongSoftThreadpool : public PairTermsStyle<PairLJCharmmCoulLongSoft> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms =
        terms_on_pool.with_soft_long_range(ShortRange::LJ_SOFT_CHARMM, g_ewald, cut_coulsq);
    terms.lj_switch = {cut_lj_innersq, cut_ljsq, 1.0 / denom_lj};
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.cutoffs(cut_ljsq, cut_coulsq);
      c.lj_soft(lj1[i][j], epsilon[i][j], lj2[i][j], lj3[i][j], lj4[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
