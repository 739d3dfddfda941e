// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(rigid/nvt/threadpool,FixRigidNVTThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_RIGID_NVT_THREADPOOL_H
#define LMP_FIX_RIGID_NVT_THREADPOOL_H

#include "fix_rigid_nvt.h"

#include "threadpool/rigid/shared_bodies_style.h"

namespace LAMMPS_NS {

class FixRigidNVTThreadpool : public SharedBodiesStyle<FixRigidNVT> {
 public:
  using SharedBodiesStyle::SharedBodiesStyle;
};

}    // namespace LAMMPS_NS

#endif
#endif
