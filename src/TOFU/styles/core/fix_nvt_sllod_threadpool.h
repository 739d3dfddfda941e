// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(nvt/sllod/threadpool,FixNVTSllodThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_NVT_SLLOD_THREADPOOL_H
#define LMP_FIX_NVT_SLLOD_THREADPOOL_H

#include "fix_nvt_sllod.h"

#include "threadpool/fixes/nose_hoover_on_pool.h"

namespace LAMMPS_NS {

class FixNVTSllodThreadpool : public NoseHooverOnPool<FixNVTSllod> {
 public:
  FixNVTSllodThreadpool(class LAMMPS *, int, char **);

 protected:
  void nh_v_temp() override;

 private:
  bool whole_velocities;    // have the SLLOD correction, as keyword psllod says
};

}    // namespace LAMMPS_NS

#endif
#endif
