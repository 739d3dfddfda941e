// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(tip4p/long/threadpool,PairTIP4PLongThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_TIP4P_LONG_THREADPOOL_H
#define LMP_PAIR_TIP4P_LONG_THREADPOOL_H

#include "pair_tip4p_long.h"

#include "threadpool/pair/tip4p_style.h"

namespace LAMMPS_NS {

class PairTIP4PLongThreadpool : public Tip4pStyle<PairTIP4PLong> {
 public:
  using Tip4pStyle::Tip4pStyle;

  void compute(int eflag, int vflag) override { compute_long(eflag, vflag); }
};

}    // namespace LAMMPS_NS

#endif
#endif
