// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(buck/mdf/threadpool,PairBuckMDFThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_BUCK_MDF_THREADPOOL_H
#define LMP_PAIR_BUCK_MDF_THREADPOOL_H

#include "pair_buck_mdf.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairBuckMDFThreadpool : public PairTermsStyle<PairBuckMDF> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms;
    terms.short_range = ShortRange::BUCKINGHAM_TAPERED;
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.buckingham_tapered(rhoinv[i][j], buck1[i][j], buck2[i][j], cut_inner[i][j], cut[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
