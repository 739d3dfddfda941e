// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/gromacs/coul/gromacs/threadpool,PairLJGromacsCoulGromacsThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_GROMACS_COUL_GROMACS_THREADPOOL_H
#define LMP_PAIR_LJ_GROMACS_COUL_GROMACS_THREADPOOL_H

#include "pair_lj_gromacs_coul_gromacs.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairLJGromacsCoulGromacsThreadpool : public PairTermsStyle<PairLJGromacsCoulGromacs> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms =
        terms_on_pool.with_charges(ShortRange::LJ_GROMACS, CoulombTerm::GROMACS, cut_coulsq);
    terms.gromacs = {cut_coul_inner, coulsw1, coulsw2, coulsw5};
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.cutoffs(cut_ljsq, cut_coulsq);
      c.lj_gromacs(lj1[i][j], lj2[i][j], cut_lj_inner, ljsw1[i][j], ljsw2[i][j], ljsw5[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
