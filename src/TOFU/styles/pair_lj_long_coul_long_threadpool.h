// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/long/coul/long/threadpool,PairLJLongCoulLongThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_LONG_COUL_LONG_THREADPOOL_H
#define LMP_PAIR_LJ_LONG_COUL_LONG_THREADPOOL_H

#include "pair_lj_long_coul_long.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairLJLongCoulLongThreadpool : public PairTermsStyle<PairLJLongCoulLong> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    const PairTerms terms =
        terms_on_pool.with_long_ranges(this, ShortRange::LJ_12_6, ewald_order, g_ewald, cut_coulsq,
                                       g_ewald_6, cut_lj_global * cut_lj_global);
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.cutoffs(cut_ljsq[i][j], cut_coulsq);
      c.lj(lj1[i][j], lj2[i][j], terms.dispersion ? 0.0 : offset[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
