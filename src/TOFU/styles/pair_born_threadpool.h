// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(born/threadpool,PairBornThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_BORN_THREADPOOL_H
#define LMP_PAIR_BORN_THREADPOOL_H

#include "pair_born.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairBornThreadpool : public PairTermsStyle<PairBorn> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms;
    terms.short_range = ShortRange::BORN;
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.born(rhoinv[i][j], sigma[i][j], born1[i][j], born2[i][j], born3[i][j], offset[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
