// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/cut/coul/wolf/threadpool,PairLJCutCoulWolfThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_CUT_COUL_WOLF_THREADPOOL_H
#define LMP_PAIR_LJ_CUT_COUL_WOLF_THREADPOOL_H

#include "pair_lj_cut_coul_wolf.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairLJCutCoulWolfThreadpool : public PairTermsStyle<PairLJCutCoulWolf> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    const PairTerms terms = terms_on_pool.with_wolf_sum(ShortRange::LJ_12_6, cut_coul, alf);
    compute_damped_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.cutoffs(cut_ljsq[i][j], cut_coulsq);
      c.lj(lj1[i][j], lj2[i][j], offset[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
