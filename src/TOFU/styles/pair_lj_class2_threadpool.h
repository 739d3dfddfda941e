// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/class2/threadpool,PairLJClass2Threadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_CLASS2_THREADPOOL_H
#define LMP_PAIR_LJ_CLASS2_THREADPOOL_H

#include "pair_lj_class2.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairLJClass2Threadpool : public PairTermsStyle<PairLJClass2> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms;
    terms.short_range = ShortRange::LJ_9_6;
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.lj(lj1[i][j], lj2[i][j], offset[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
