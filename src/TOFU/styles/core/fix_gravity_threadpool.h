// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(gravity/threadpool,FixGravityThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_GRAVITY_THREADPOOL_H
#define LMP_FIX_GRAVITY_THREADPOOL_H

#include "fix_gravity.h"

#include "threadpool/pool/fix_on_pool.h"

namespace LAMMPS_NS {

class FixGravityThreadpool : public FixOnPool<FixGravity> {
 public:
  using FixOnPool::FixOnPool;
  void post_force(int) override;
};

}    // namespace LAMMPS_NS

#endif
#endif
