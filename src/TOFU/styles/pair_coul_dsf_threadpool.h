// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(coul/dsf/threadpool,PairCoulDSFThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_COUL_DSF_THREADPOOL_H
#define LMP_PAIR_COUL_DSF_THREADPOOL_H

#include "pair_coul_dsf.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairCoulDSFThreadpool : public PairTermsStyle<PairCoulDSF> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    const PairTerms terms =
        terms_on_pool.with_shifted_forces(ShortRange::NONE, cut_coul, alpha, e_shift, f_shift);
    compute_damped_terms(eflag, vflag, terms, [](int, int, PairTermsCoefficients &) {});
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
