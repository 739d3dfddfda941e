// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(morse/smooth/linear/threadpool,PairMorseSmoothLinearThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_MORSE_SMOOTH_LINEAR_THREADPOOL_H
#define LMP_PAIR_MORSE_SMOOTH_LINEAR_THREADPOOL_H

#include "pair_morse_smooth_linear.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairMorseSmoothLinearThreadpool : public PairTermsStyle<PairMorseSmoothLinear> {
 public:
  using PairTermsStyle::PairTermsStyle;

  void compute(int eflag, int vflag) override
  {
    PairTerms terms;
    terms.short_range = ShortRange::MORSE_SMOOTH_LINEAR;
    compute_terms(eflag, vflag, terms, [&](int i, int j, PairTermsCoefficients &c) {
      c.morse_smooth_linear(alpha[i][j], r0[i][j], d0[i][j], der_at_cutoff[i][j], cut[i][j],
                            offset[i][j]);
    });
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
