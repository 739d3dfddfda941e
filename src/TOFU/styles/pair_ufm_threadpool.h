// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(ufm/threadpool,PairUFMThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_UFM_THREADPOOL_H
#define LMP_PAIR_UFM_THREADPOOL_H

#include "pair_ufm.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairUFMThreadpool : public PairTermsStyle<PairUFM> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms;
    terms.short_range = ShortRange::UHLENBECK_FORD;
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.uhlenbeck_ford(scale[i][j] * uf1[i][j], uf2[i][j], uf3[i][j], offset[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
