// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(nve/limit/threadpool,FixNVELimitThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_NVE_LIMIT_THREADPOOL_H
#define LMP_FIX_NVE_LIMIT_THREADPOOL_H

#include "fix_nve_limit.h"

#include "threadpool/pool/fix_on_pool.h"

namespace LAMMPS_NS {

class FixNVELimitThreadpool : public FixOnPool<FixNVELimit> {
 public:
  using FixOnPool::FixOnPool;
  void initial_integrate(int) override;
  void final_integrate() override;

 private:
  template <bool MOVE> void kick();
};

}    // namespace LAMMPS_NS

#endif
#endif
