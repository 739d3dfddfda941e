// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/charmmfsw/coul/charmmfsh/threadpool,PairLJCharmmfswCoulCharmmfshThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_CHARMMFSW_COUL_CHARMMFSH_THREADPOOL_H
#define LMP_PAIR_LJ_CHARMMFSW_COUL_CHARMMFSH_THREADPOOL_H

#include "pair_lj_charmmfsw_coul_charmmfsh.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairLJCharmmfswCoulCharmmfshThreadpool : public PairTermsStyle<PairLJCharmmfswCoulCharmmfsh> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms = PairTermsOnPool::with_charges(ShortRange::LJ_FORCE_SWITCH,
                                                    CoulombTerm::SHIFTED_FORCE, cut_coulsq);
    terms.lj_switch = {cut_lj_innersq, cut_ljsq, 1.0 / denom_lj};
    terms.force_switch = {cut_lj_inner3inv * cut_lj3inv,
                          cut_lj_inner6inv * cut_lj6inv,
                          cut_lj3 * denom_lj6,
                          cut_lj6 * denom_lj12,
                          cut_lj3inv,
                          cut_lj6inv};
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.cutoffs(cut_ljsq, cut_coulsq);
      c.lj(lj1[i][j], lj2[i][j], 0.0);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
