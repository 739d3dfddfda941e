// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(buck/long/coul/long/threadpool,PairBuckLongCoulLongThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_BUCK_LONG_COUL_LONG_THREADPOOL_H
#define LMP_PAIR_BUCK_LONG_COUL_LONG_THREADPOOL_H

#include "pair_buck_long_coul_long.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairBuckLongCoulLongThreadpool : public PairTermsStyle<PairBuckLongCoulLong> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    const PairTerms terms =
        terms_on_pool.with_long_ranges(this, ShortRange::BUCKINGHAM, ewald_order, g_ewald,
                                       cut_coulsq, g_ewald_6, cut_buck_global * cut_buck_global);
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.cutoffs(cut_bucksq[i][j], cut_coulsq);
      c.buckingham(rhoinv[i][j], buck1[i][j], buck2[i][j], terms.dispersion ? 0.0 : offset[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
