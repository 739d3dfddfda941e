// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(rigid/npt/threadpool,FixRigidNPTThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_RIGID_NPT_THREADPOOL_H
#define LMP_FIX_RIGID_NPT_THREADPOOL_H

#include "fix_rigid_npt.h"

#include "threadpool/rigid/shared_bodies_style.h"

namespace LAMMPS_NS {

class FixRigidNPTThreadpool : public SharedBodiesInBoxStyle<FixRigidNPT> {
 public:
  using SharedBodiesInBoxStyle::SharedBodiesInBoxStyle;
};

}    // namespace LAMMPS_NS

#endif
#endif
