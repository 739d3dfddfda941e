// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(rigid/nph/threadpool,FixRigidNPHThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_RIGID_NPH_THREADPOOL_H
#define LMP_FIX_RIGID_NPH_THREADPOOL_H

#include "fix_rigid_nph.h"

#include "threadpool/rigid/shared_bodies_style.h"

namespace LAMMPS_NS {

class FixRigidNPHThreadpool : public SharedBodiesInBoxStyle<FixRigidNPH> {
 public:
  using SharedBodiesInBoxStyle::SharedBodiesInBoxStyle;
};

}    // namespace LAMMPS_NS

#endif
#endif
