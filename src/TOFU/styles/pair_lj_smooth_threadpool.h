// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/smooth/threadpool,PairLJSmoothThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_SMOOTH_THREADPOOL_H
#define LMP_PAIR_LJ_SMOOTH_THREADPOOL_H

#include "pair_lj_smooth.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairLJSmoothThreadpool : public PairTermsStyle<PairLJSmooth> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms;
    terms.short_range = ShortRange::LJ_SMOOTH;
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.lj_smooth(lj1[i][j], lj2[i][j], cut_inner[i][j], ljsw3[i][j], ljsw4[i][j], offset[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
