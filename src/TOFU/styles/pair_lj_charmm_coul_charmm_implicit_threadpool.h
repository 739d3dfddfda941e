// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/charmm/coul/charmm/implicit/threadpool,PairLJCharmmCoulCharmmImplicitThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_CHARMM_COUL_CHARMM_IMPLICIT_THREADPOOL_H
#define LMP_PAIR_LJ_CHARMM_COUL_CHARMM_IMPLICIT_THREADPOOL_H

#include "pair_lj_charmm_coul_charmm_implicit.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairLJCharmmCoulCharmmImplicitThreadpool :
    public PairTermsStyle<PairLJCharmmCoulCharmmImplicit> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms = PairTermsOnPool::with_charges(ShortRange::LJ_CHARMM,
                                                    CoulombTerm::CHARMM_IMPLICIT, cut_coulsq);
    terms.lj_switch = {cut_lj_innersq, cut_ljsq, 1.0 / denom_lj};
    terms.coul_switch = {cut_coul_innersq, cut_coulsq, 1.0 / denom_coul};
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.cutoffs(cut_ljsq, cut_coulsq);
      c.lj(lj1[i][j], lj2[i][j], 0.0);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
