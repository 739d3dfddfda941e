// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(zbl/threadpool,PairZBLThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_ZBL_THREADPOOL_H
#define LMP_PAIR_ZBL_THREADPOOL_H

#include "pair_zbl.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairZBLThreadpool : public PairTermsStyle<PairZBL> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms;
    terms.short_range = ShortRange::ZBL;
    terms.inner = cut_inner;
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.zbl(d1a[i][j], zze[i][j], sw1[i][j], sw2[i][j], sw5[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
