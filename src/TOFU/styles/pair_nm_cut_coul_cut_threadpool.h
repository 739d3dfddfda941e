// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(nm/cut/coul/cut/threadpool,PairNMCutCoulCutThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_NM_CUT_COUL_CUT_THREADPOOL_H
#define LMP_PAIR_NM_CUT_COUL_CUT_THREADPOOL_H

#include "pair_nm_cut_coul_cut.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairNMCutCoulCutThreadpool : public PairTermsStyle<PairNMCutCoulCut> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms;
    terms.short_range = ShortRange::MIE;
    terms.coulomb = CoulombTerm::CUT;
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.cutoffs(cut_ljsq[i][j], cut_coulsq[i][j]);
      c.nm(nn[i][j], mm[i][j], e0nm[i][j], r0n[i][j], r0m[i][j], offset[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
