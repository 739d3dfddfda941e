// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/cut/coul/long/threadpool,PairLJCutCoulLongThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_CUT_COUL_LONG_THREADPOOL_H
#define LMP_PAIR_LJ_CUT_COUL_LONG_THREADPOOL_H

#include "pair_lj_cut_coul_long.h"

#include "threadpool/pair/clustered_style.h"

namespace LAMMPS_NS {

class PairLJCutCoulLongThreadpool : public ClusteredStyle<PairLJCutCoulLong> {
 public:
  using ClusteredStyle::ClusteredStyle;
  void compute(int, int) override;
};

}    // namespace LAMMPS_NS

#endif
#endif
