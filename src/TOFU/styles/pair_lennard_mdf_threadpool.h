// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lennard/mdf/threadpool,PairLennardMDFThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LENNARD_MDF_THREADPOOL_H
#define LMP_PAIR_LENNARD_MDF_THREADPOOL_H

#include "pair_lennard_mdf.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairLennardMDFThreadpool : public PairTermsStyle<PairLennardMDF> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms;
    terms.short_range = ShortRange::LJ_TAPERED;
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.lj_tapered(lj1[i][j], lj2[i][j], cut_inner[i][j], cut[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
