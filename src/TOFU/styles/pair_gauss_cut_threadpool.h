// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(gauss/cut/threadpool,PairGaussCutThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_GAUSS_CUT_THREADPOOL_H
#define LMP_PAIR_GAUSS_CUT_THREADPOOL_H

#include "pair_gauss_cut.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairGaussCutThreadpool : public PairTermsStyle<PairGaussCut> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms;
    terms.short_range = ShortRange::GAUSS_CUT;
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.gauss_cut(sigmah[i][j], rmh[i][j], pgauss[i][j], offset[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
