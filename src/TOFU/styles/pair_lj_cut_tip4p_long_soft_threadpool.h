// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/cut/tip4p/long/soft/threadpool,PairLJCutTIP4PLongSoftThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_CUT_TIP4P_LONG_SOFT_THREADPOOL_H
#define LMP_PAIR_LJ_CUT_TIP4P_LONG_SOFT_THREADPOOL_H

#include "pair_lj_cut_tip4p_long_soft.h"

#include "threadpool/pair/tip4p_terms_style.h"

namespace LAMMPS_NS {

class PairLJCutTIP4PLongSoftThreadpool : public Tip4pTermsStyle<PairLJCutTIP4PLongSoft> {
 public:
  using Tip4pTermsStyle::Tip4pTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms = terms_on_pool.with_soft_long_range(ShortRange::LJ_SOFT, g_ewald, cut_coulsq);
    terms.shifted = offset_flag;
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.cutoffs(cut_ljsq[i][j], cut_coulsq);
      c.lj_soft(lj1[i][j], epsilon[i][j], lj2[i][j], lj3[i][j], lj4[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
