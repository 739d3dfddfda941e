// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/cut/coul/cut/soft/threadpool,PairLJCutCoulCutSoftThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_CUT_COUL_CUT_SOFT_THREADPOOL_H
#define LMP_PAIR_LJ_CUT_COUL_CUT_SOFT_THREADPOOL_H

#include "pair_lj_cut_coul_cut_soft.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairLJCutCoulCutSoftThreadpool : public PairTermsStyle<PairLJCutCoulCutSoft> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms;
    terms.short_range = ShortRange::LJ_SOFT;
    terms.coulomb = CoulombTerm::SOFT;
    terms.shifted = offset_flag;
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.cutoffs(cut_ljsq[i][j], cut_coulsq[i][j]);
      c.lj_soft(lj1[i][j], epsilon[i][j], lj2[i][j], lj3[i][j], lj4[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
