// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(freeze/threadpool,FixFreezeThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_FREEZE_THREADPOOL_H
#define LMP_FIX_FREEZE_THREADPOOL_H

#include "fix_freeze.h"

#include "threadpool/pool/fix_on_pool.h"

namespace LAMMPS_NS {

class FixFreezeThreadpool : public FixOnPool<FixFreeze> {
 public:
  using FixOnPool::FixOnPool;
  void init() override;
  void post_force(int) override;
};

}    // namespace LAMMPS_NS

#endif
#endif
