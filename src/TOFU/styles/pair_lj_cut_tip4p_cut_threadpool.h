// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/cut/tip4p/cut/threadpool,PairLJCutTIP4PCutThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_CUT_TIP4P_CUT_THREADPOOL_H
#define LMP_PAIR_LJ_CUT_TIP4P_CUT_THREADPOOL_H

#include "pair_lj_cut_tip4p_cut.h"

#include "threadpool/pair/tip4p_style.h"

namespace LAMMPS_NS {

class PairLJCutTIP4PCutThreadpool : public Tip4pStyle<PairLJCutTIP4PCut> {
 public:
  using Tip4pStyle::Tip4pStyle;

  void compute(int eflag, int vflag) override { compute_cut(eflag, vflag, lj_forces()); }
};

}    // namespace LAMMPS_NS

#endif
#endif
