// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(rigid/nvt/small/threadpool,FixRigidNVTSmallThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_RIGID_NVT_SMALL_THREADPOOL_H
#define LMP_FIX_RIGID_NVT_SMALL_THREADPOOL_H

#include "fix_rigid_nvt_small.h"

#include "threadpool/rigid/rigid_nose_hoover_style.h"

namespace LAMMPS_NS {

class FixRigidNVTSmallThreadpool : public RigidNoseHooverStyle<FixRigidNVTSmall> {
 public:
  using RigidNoseHooverStyle::RigidNoseHooverStyle;
};

}    // namespace LAMMPS_NS

#endif
#endif
