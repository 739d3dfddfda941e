// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(born/coul/dsf/threadpool,PairBornCoulDSFThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_BORN_COUL_DSF_THREADPOOL_H
#define LMP_PAIR_BORN_COUL_DSF_THREADPOOL_H

#include "pair_born_coul_dsf.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairBornCoulDSFThreadpool : public PairTermsStyle<PairBornCoulDSF> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms =
        terms_on_pool.with_shifted_forces(ShortRange::BORN, cut_coul, alpha, e_shift, f_shift);
    terms.damped.exact = true;
    compute_damped_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.cutoffs(cut_ljsq[i][j], cut_coulsq);
      c.born(rhoinv[i][j], sigma[i][j], born1[i][j], born2[i][j], born3[i][j], offset[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
