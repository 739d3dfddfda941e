// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(morse/soft/threadpool,PairMorseSoftThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_MORSE_SOFT_THREADPOOL_H
#define LMP_PAIR_MORSE_SOFT_THREADPOOL_H

#include "pair_morse_soft.h"

#include "threadpool/pair/pair_terms_style.h"

#include <cmath>

namespace LAMMPS_NS {

class PairMorseSoftThreadpool : public PairTermsStyle<PairMorseSoft> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms;
    terms.short_range = ShortRange::MORSE_SOFT;
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      const double depth = d0[i][j], ea = std::exp(alpha[i][j] * r0[i][j]);
      const double repulsion = -2.0 / 3.0 * depth * (ea - 1.0) / (ea * ea);
      const double l = lambda[i][j];
      if (l >= shift_range)
        c.morse_soft(alpha[i][j], r0[i][j], depth, repulsion * (l - 1.0) / (shift_range - 1.0));
      else
        c.morse_soft(alpha[i][j], r0[i][j], depth * factor_of(l), repulsion * factor_of(l));
    });
  }

 private:
  double factor_of(double l) const { return std::pow(l / shift_range, nlambda); }
};

}    // namespace LAMMPS_NS

#endif
#endif
