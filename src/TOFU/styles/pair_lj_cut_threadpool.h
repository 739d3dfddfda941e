// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/cut/threadpool,PairLJCutThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_CUT_THREADPOOL_H
#define LMP_PAIR_LJ_CUT_THREADPOOL_H

#include "pair_lj_cut.h"

#include "threadpool/pair/pairwise_style.h"

namespace LAMMPS_NS {

class PairLJCutThreadpool :
    public PairwiseStyle<PairLJCut, PairOnPool::Preferred::FULL_WITH_WIDE_VECTORS> {
 public:
  using PairwiseStyle::PairwiseStyle;
  void compute(int, int) override;
};

}    // namespace LAMMPS_NS

#endif
#endif
