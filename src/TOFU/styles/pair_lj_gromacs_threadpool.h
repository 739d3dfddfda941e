// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/gromacs/threadpool,PairLJGromacsThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_GROMACS_THREADPOOL_H
#define LMP_PAIR_LJ_GROMACS_THREADPOOL_H

#include "pair_lj_gromacs.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairLJGromacsThreadpool : public PairTermsStyle<PairLJGromacs> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms;
    terms.short_range = ShortRange::LJ_GROMACS;
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.lj_gromacs(lj1[i][j], lj2[i][j], cut_inner[i][j], ljsw1[i][j], ljsw2[i][j], ljsw5[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
