// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(tersoff/mod/c/threadpool,PairTersoffMODCThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_TERSOFF_MOD_C_THREADPOOL_H
#define LMP_PAIR_TERSOFF_MOD_C_THREADPOOL_H

#include "pair_tersoff_mod_c.h"

#include "threadpool/manybody/tersoff_style.h"

namespace LAMMPS_NS {

class PairTersoffMODCThreadpool : public TersoffStyle<PairTersoffMODC, TOFU_NS::TersoffForm::MOD> {
 public:
  using TersoffStyle::TersoffStyle;
};

}    // namespace LAMMPS_NS

#endif
#endif
