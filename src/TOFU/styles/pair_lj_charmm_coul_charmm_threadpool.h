// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/charmm/coul/charmm/threadpool,PairLJCharmmCoulCharmmThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_CHARMM_COUL_CHARMM_THREADPOOL_H
#define LMP_PAIR_LJ_CHARMM_COUL_CHARMM_THREADPOOL_H

#include "pair_lj_charmm_coul_charmm.h"

#include "threadpool/pair/pairwise_style.h"

namespace LAMMPS_NS {

class PairLJCharmmCoulCharmmThreadpool :
    public PairwiseStyle<PairLJCharmmCoulCharmm, PairOnPool::Preferred::HALF> {
 public:
  using PairwiseStyle::PairwiseStyle;
  void compute(int, int) override;
};

}    // namespace LAMMPS_NS

#endif
#endif
