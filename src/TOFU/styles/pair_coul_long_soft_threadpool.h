// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(coul/long/soft/threadpool,PairCoulLongSoftThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_COUL_LONG_SOFT_THREADPOOL_H
#define LMP_PAIR_COUL_LONG_SOFT_THREADPOOL_H

#include "pair_coul_long_soft.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairCoulLongSoftThreadpool : public PairTermsStyle<PairCoulLongSoft> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    const PairTerms terms =
        terms_on_pool.with_soft_long_range(ShortRange::NONE, g_ewald, cut_coulsq);
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.charges_soft(lam1[i][j], lam2[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
