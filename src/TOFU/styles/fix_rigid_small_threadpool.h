// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(rigid/small/threadpool,FixRigidSmallThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_RIGID_SMALL_THREADPOOL_H
#define LMP_FIX_RIGID_SMALL_THREADPOOL_H

#include "fix_rigid_small.h"

#include "threadpool/rigid/rigid_style.h"

namespace LAMMPS_NS {

class FixRigidSmallThreadpool : public RigidStyle<FixRigidSmall> {
 public:
  using RigidStyle::RigidStyle;
  void initial_integrate(int) override;
  void final_integrate() override;
};

}    // namespace LAMMPS_NS

#endif
#endif
