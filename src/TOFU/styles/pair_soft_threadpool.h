// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(soft/threadpool,PairSoftThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_SOFT_THREADPOOL_H
#define LMP_PAIR_SOFT_THREADPOOL_H

#include "pair_soft.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairSoftThreadpool : public PairTermsStyle<PairSoft> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms;
    terms.short_range = ShortRange::SOFT;
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.soft(prefactor[i][j], cut[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
