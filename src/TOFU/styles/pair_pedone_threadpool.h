// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(pedone/threadpool,PairPedoneThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_PEDONE_THREADPOOL_H
#define LMP_PAIR_PEDONE_THREADPOOL_H

#include "pair_pedone.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairPedoneThreadpool : public PairTermsStyle<PairPedone> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms;
    terms.short_range = ShortRange::PEDONE;
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.pedone(alpha[i][j], r0[i][j], d0[i][j], c0[i][j], offset[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
