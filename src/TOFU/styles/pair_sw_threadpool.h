// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef PAIR_CLASS
// clang-format off
PairStyle(sw/threadpool,PairSWThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_SW_THREADPOOL_H
#define LMP_PAIR_SW_THREADPOOL_H

#include "pair_sw.h"

#include "threadpool/manybody/sw_style.h"

namespace LAMMPS_NS {

class PairSWThreadpool : public SWStyle<PairSW> {
 public:
  using SWStyle::SWStyle;
};

}    // namespace LAMMPS_NS

#endif
#endif
