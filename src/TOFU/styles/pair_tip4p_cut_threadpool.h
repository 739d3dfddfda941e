// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(tip4p/cut/threadpool,PairTIP4PCutThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_TIP4P_CUT_THREADPOOL_H
#define LMP_PAIR_TIP4P_CUT_THREADPOOL_H

#include "pair_tip4p_cut.h"

#include "threadpool/pair/tip4p_style.h"

namespace LAMMPS_NS {

class PairTIP4PCutThreadpool : public Tip4pStyle<PairTIP4PCut> {
 public:
  using Tip4pStyle::Tip4pStyle;

  void compute(int eflag, int vflag) override { compute_cut(eflag, vflag); }
};

}    // namespace LAMMPS_NS

#endif
#endif
