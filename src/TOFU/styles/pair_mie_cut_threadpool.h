// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(mie/cut/threadpool,PairMIECutThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_MIE_CUT_THREADPOOL_H
#define LMP_PAIR_MIE_CUT_THREADPOOL_H

#include "pair_mie_cut.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairMIECutThreadpool : public PairTermsStyle<PairMIECut> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms;
    terms.short_range = ShortRange::MIE;
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.mie(gamR[i][j], gamA[i][j], mie1[i][j], mie2[i][j], offset[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
