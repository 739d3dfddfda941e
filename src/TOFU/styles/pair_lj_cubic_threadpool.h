// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/cubic/threadpool,PairLJCubicThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_CUBIC_THREADPOOL_H
#define LMP_PAIR_LJ_CUBIC_THREADPOOL_H

#include "pair_lj_cubic.h"

#include "threadpool/pair/pair_terms_style.h"

namespace LAMMPS_NS {

class PairLJCubicThreadpool : public PairTermsStyle<PairLJCubic> {
 public:
  using PairTermsStyle::PairTermsStyle;
  void compute(int, int) override;
};

}    // namespace LAMMPS_NS

#endif
#endif
