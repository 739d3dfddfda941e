// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(buck/threadpool,PairBuckThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_BUCK_THREADPOOL_H
#define LMP_PAIR_BUCK_THREADPOOL_H

#include "pair_buck.h"

#include "threadpool/pair/pairwise_style.h"

namespace LAMMPS_NS {

class PairBuckThreadpool : public PairwiseStyle<PairBuck, PairOnPool::Preferred::HALF> {
 public:
  using PairwiseStyle::PairwiseStyle;
  void compute(int, int) override;
};

}    // namespace LAMMPS_NS

#endif
#endif
