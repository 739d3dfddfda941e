// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/cut/coul/long/cs/threadpool,PairLJCutCoulLongCSThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_CUT_COUL_LONG_CS_THREADPOOL_H
#define LMP_PAIR_LJ_CUT_COUL_LONG_CS_THREADPOOL_H

#include "pair_lj_cut_coul_long_cs.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairLJCutCoulLongCSThreadpool : public PairTermsStyle<PairLJCutCoulLongCS> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    const PairTerms terms =
        terms_on_pool.with_core_shell_long_range(this, ShortRange::LJ_12_6, g_ewald, cut_coulsq);
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.cutoffs(cut_ljsq[i][j], cut_coulsq);
      c.lj(lj1[i][j], lj2[i][j], offset[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
