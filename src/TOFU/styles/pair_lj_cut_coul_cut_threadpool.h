// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/cut/coul/cut/threadpool,PairLJCutCoulCutThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_CUT_COUL_CUT_THREADPOOL_H
#define LMP_PAIR_LJ_CUT_COUL_CUT_THREADPOOL_H

#include "pair_lj_cut_coul_cut.h"

#include "threadpool/pair/pairwise_style.h"

namespace LAMMPS_NS {

class PairLJCutCoulCutThreadpool :
    public PairwiseStyle<PairLJCutCoulCut, PairOnPool::Preferred::HALF> {
 public:
  using PairwiseStyle::PairwiseStyle;
  void compute(int, int) override;
};

}    // namespace LAMMPS_NS

#endif
#endif
