// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(cosine/squared/threadpool,PairCosineSquaredThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_COSINE_SQUARED_THREADPOOL_H
#define LMP_PAIR_COSINE_SQUARED_THREADPOOL_H

#include "pair_cosine_squared.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairCosineSquaredThreadpool : public PairTermsStyle<PairCosineSquared> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms;
    terms.short_range = ShortRange::COSINE_SQUARED;
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      const double e = epsilon[i][j];
      if (!wcaflag[i][j])
        c.cosine_squared(e, sigma[i][j], cut[i][j], 0.0, 0.0, -e);
      else    // a repulsion alone ends at an energy of 0
        c.cosine_squared(e, sigma[i][j], cut[i][j], lj12_e[i][j], lj6_e[i][j],
                         sigma[i][j] == cut[i][j] ? e : 0.0);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
