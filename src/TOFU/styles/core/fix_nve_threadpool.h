// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(nve/threadpool,FixNVEThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_NVE_THREADPOOL_H
#define LMP_FIX_NVE_THREADPOOL_H

#include "fix_nve.h"

#include "threadpool/pool/atom_passes.h"
#include "threadpool/pool/fix_on_pool.h"

namespace LAMMPS_NS {

class FixNVEThreadpool : public FixOnPool<FixNVE>, public FixByAtom {
 public:
  using FixOnPool::FixOnPool;
  void initial_integrate(int) override;
  void final_integrate() override;
  int stages_that_wait() const override
  {
    return FixConst::INITIAL_INTEGRATE | FixConst::FINAL_INTEGRATE;
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
