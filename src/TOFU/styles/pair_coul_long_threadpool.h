// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(coul/long/threadpool,PairCoulLongThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_COUL_LONG_THREADPOOL_H
#define LMP_PAIR_COUL_LONG_THREADPOOL_H

#include "pair_coul_long.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairCoulLongThreadpool : public PairTermsStyle<PairCoulLong> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    const PairTerms terms =
        terms_on_pool.with_long_range(this, ShortRange::NONE, g_ewald, cut_coulsq);
    compute_terms(eflag, vflag, terms,
                  [&](int i, int j, PairTermsCoefficients &c) { c.charges(scale[i][j]); });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
