// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(sw/mod/threadpool,PairSWMODThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_SW_MOD_THREADPOOL_H
#define LMP_PAIR_SW_MOD_THREADPOOL_H

#include "pair_sw_mod.h"

#include "threadpool/manybody/sw_style.h"

namespace LAMMPS_NS {

class PairSWMODThreadpool : public SWStyle<PairSWMOD> {
 public:
  using SWStyle::SWStyle;

 protected:
  void modify(TOFU_NS::SWCoefficients &c) const override
  {
    c.modified = true;
    c.delta1 = delta1;
    c.delta2 = delta2;
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
