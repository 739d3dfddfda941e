// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(yukawa/threadpool,PairYukawaThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_YUKAWA_THREADPOOL_H
#define LMP_PAIR_YUKAWA_THREADPOOL_H

#include "pair_yukawa.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairYukawaThreadpool : public PairTermsStyle<PairYukawa> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms;
    terms.short_range = ShortRange::YUKAWA;
    terms.kappa = kappa;
    compute_terms(eflag, vflag, terms,
                  [&](int i, int j, PairTermsCoefficients &c) { c.yukawa(a[i][j], offset[i][j]); });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
