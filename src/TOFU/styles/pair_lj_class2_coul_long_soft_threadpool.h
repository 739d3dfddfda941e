// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/class2/coul/long/soft/threadpool,PairLJClass2CoulLongSoftThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_CLASS2_COUL_LONG_SOFT_THREADPOOL_H
#define LMP_PAIR_LJ_CLASS2_COUL_LONG_SOFT_THREADPOOL_H

#include "pair_lj_class2_coul_long_soft.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairLJClass2CoulLongSoftThreadpool : public PairTermsStyle<PairLJClass2CoulLongSoft> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms =
        terms_on_pool.with_soft_long_range(ShortRange::LJ_SOFT_9_6, g_ewald, cut_coulsq);
    terms.shifted = offset_flag;
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.cutoffs(cut_ljsq[i][j], cut_coulsq);
      c.lj_soft(lj1[i][j], epsilon[i][j], lj2[i][j], lj3[i][j], lj4[i][j]);
      c.depth_of_shift(epsilon[i][j]);    // whatever lambda is, as without the suffix
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
