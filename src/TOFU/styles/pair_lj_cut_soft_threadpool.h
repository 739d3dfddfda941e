// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/cut/soft/threadpool,PairLJCutSoftThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_CUT_SOFT_THREADPOOL_H
#define LMP_PAIR_LJ_CUT_SOFT_THREADPOOL_H

#include "pair_lj_cut_soft.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairLJCutSoftThreadpool : public PairTermsStyle<PairLJCutSoft> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms;
    terms.short_range = ShortRange::LJ_SOFT;
    terms.shifted = offset_flag;
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.lj_soft(lj1[i][j], epsilon[i][j], lj2[i][j], lj3[i][j], 0.0);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
