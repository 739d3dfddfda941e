// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(rigid/npt/small/threadpool,FixRigidNPTSmallThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_RIGID_NPT_SMALL_THREADPOOL_H
#define LMP_FIX_RIGID_NPT_SMALL_THREADPOOL_H

#include "fix_rigid_npt_small.h"

#include "threadpool/rigid/rigid_nose_hoover_style.h"

namespace LAMMPS_NS {

class FixRigidNPTSmallThreadpool : public RigidNoseHooverStyle<FixRigidNPTSmall> {
 public:
  using RigidNoseHooverStyle::RigidNoseHooverStyle;
};

}    // namespace LAMMPS_NS

#endif
#endif
