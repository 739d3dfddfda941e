// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/expand/threadpool,PairLJExpandThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_EXPAND_THREADPOOL_H
#define LMP_PAIR_LJ_EXPAND_THREADPOOL_H

#include "pair_lj_expand.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairLJExpandThreadpool : public PairTermsStyle<PairLJExpand> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms;
    terms.short_range = ShortRange::LJ_EXPAND;
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.lj_expand(lj1[i][j], lj2[i][j], shift[i][j], offset[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
