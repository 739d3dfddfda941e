// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/class2/soft/threadpool,PairLJClass2SoftThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_CLASS2_SOFT_THREADPOOL_H
#define LMP_PAIR_LJ_CLASS2_SOFT_THREADPOOL_H

#include "pair_lj_class2_soft.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairLJClass2SoftThreadpool : public PairTermsStyle<PairLJClass2Soft> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms;
    terms.short_range = ShortRange::LJ_SOFT_9_6;
    terms.shifted = offset_flag;
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.lj_soft(lj1[i][j], epsilon[i][j], lj2[i][j], lj3[i][j], 0.0);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
