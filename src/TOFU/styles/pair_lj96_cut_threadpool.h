// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj96/cut/threadpool,PairLJ96CutThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ96_CUT_THREADPOOL_H
#define LMP_PAIR_LJ96_CUT_THREADPOOL_H

#include "pair_lj96_cut.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairLJ96CutThreadpool : public PairTermsStyle<PairLJ96Cut> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms;
    terms.short_range = ShortRange::LJ_9_6;
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.lj(lj1[i][j], lj2[i][j], offset[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
