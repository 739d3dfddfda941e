// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(buck/coul/cut/threadpool,PairBuckCoulCutThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_BUCK_COUL_CUT_THREADPOOL_H
#define LMP_PAIR_BUCK_COUL_CUT_THREADPOOL_H

#include "pair_buck_coul_cut.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairBuckCoulCutThreadpool : public PairTermsStyle<PairBuckCoulCut> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms;
    terms.short_range = ShortRange::BUCKINGHAM;
    terms.coulomb = CoulombTerm::CUT;
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.cutoffs(cut_ljsq[i][j], cut_coulsq[i][j]);
      c.buckingham(rhoinv[i][j], buck1[i][j], buck2[i][j], offset[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
