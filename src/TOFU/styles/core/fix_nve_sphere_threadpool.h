// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(nve/sphere/threadpool,FixNVESphereThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_NVE_SPHERE_THREADPOOL_H
#define LMP_FIX_NVE_SPHERE_THREADPOOL_H

#include "fix_nve_sphere.h"

#include "threadpool/pool/fix_on_pool.h"

namespace LAMMPS_NS {

class FixNVESphereThreadpool : public FixOnPool<FixNVESphere> {
 public:
  using FixOnPool::FixOnPool;
  void initial_integrate(int) override;
  void final_integrate() override;
};

}    // namespace LAMMPS_NS

#endif
#endif
