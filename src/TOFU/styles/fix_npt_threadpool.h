// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(npt/threadpool,FixNPTThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_NPT_THREADPOOL_H
#define LMP_FIX_NPT_THREADPOOL_H

#include "fix_npt.h"

#include "threadpool/fixes/nose_hoover_on_pool.h"

namespace LAMMPS_NS {

class FixNPTThreadpool : public NoseHooverOnPool<FixNPT> {
 public:
  using NoseHooverOnPool::NoseHooverOnPool;
};

}    // namespace LAMMPS_NS

#endif
#endif
