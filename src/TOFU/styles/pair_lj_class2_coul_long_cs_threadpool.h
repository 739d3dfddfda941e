// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/class2/coul/long/cs/threadpool,PairLJClass2CoulLongCSThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_CLASS2_COUL_LONG_CS_THREADPOOL_H
#define LMP_PAIR_LJ_CLASS2_COUL_LONG_CS_THREADPOOL_H

#include "pair_lj_class2_coul_long_cs.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairLJClass2CoulLongCSThreadpool : public PairTermsStyle<PairLJClass2CoulLongCS> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    const PairTerms terms =
        terms_on_pool.with_core_shell_long_range(this, ShortRange::LJ_9_6, g_ewald, cut_coulsq);
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.cutoffs(cut_ljsq[i][j], cut_coulsq);
      c.lj(lj1[i][j], lj2[i][j], offset[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
