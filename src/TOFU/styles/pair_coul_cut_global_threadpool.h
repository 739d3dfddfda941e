// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(coul/cut/global/threadpool,PairCoulCutGlobalThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_COUL_CUT_GLOBAL_THREADPOOL_H
#define LMP_PAIR_COUL_CUT_GLOBAL_THREADPOOL_H

#include "pair_coul_cut_global.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairCoulCutGlobalThreadpool : public PairTermsStyle<PairCoulCutGlobal> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms;
    terms.coulomb = CoulombTerm::CUT;
    compute_terms(eflag, vflag, terms,
                  [&](int i, int j, PairTermsCoefficients &c) { c.charges(scale[i][j]); });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
