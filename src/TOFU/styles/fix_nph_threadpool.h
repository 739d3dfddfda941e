// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(nph/threadpool,FixNPHThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_NPH_THREADPOOL_H
#define LMP_FIX_NPH_THREADPOOL_H

#include "fix_nph.h"

#include "threadpool/fixes/nose_hoover_on_pool.h"

namespace LAMMPS_NS {

class FixNPHThreadpool : public NoseHooverOnPool<FixNPH> {
 public:
  using NoseHooverOnPool::NoseHooverOnPool;
};

}    // namespace LAMMPS_NS

#endif
#endif
