// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(gauss/threadpool,PairGaussThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_GAUSS_THREADPOOL_H
#define LMP_PAIR_GAUSS_THREADPOOL_H

#include "pair_gauss.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairGaussThreadpool : public PairTermsStyle<PairGauss> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms;
    terms.short_range = ShortRange::GAUSS;
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.gauss(a[i][j], b[i][j], offset[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
