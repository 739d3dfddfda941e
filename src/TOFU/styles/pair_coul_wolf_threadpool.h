// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(coul/wolf/threadpool,PairCoulWolfThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_COUL_WOLF_THREADPOOL_H
#define LMP_PAIR_COUL_WOLF_THREADPOOL_H

#include "pair_coul_wolf.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairCoulWolfThreadpool : public PairTermsStyle<PairCoulWolf> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    const PairTerms terms = terms_on_pool.with_wolf_sum(ShortRange::NONE, cut_coul, alf);
    compute_damped_terms(eflag, vflag, terms, [](int, int, PairTermsCoefficients &) {});
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
