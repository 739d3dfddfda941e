// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef COMPUTE_CLASS
// clang-format off
ComputeStyle(temp/deform/threadpool,ComputeTempDeformThreadpool);
// clang-format on
#else

#ifndef LMP_COMPUTE_TEMP_DEFORM_THREADPOOL_H
#define LMP_COMPUTE_TEMP_DEFORM_THREADPOOL_H

#include "compute_temp_deform.h"

#include "threadpool/fixes/thermal_temperature.h"

namespace LAMMPS_NS {

class ComputeTempDeformThreadpool : public ThermalTemperature<ComputeTempDeform> {
 public:
  using ThermalTemperature::ThermalTemperature;

 protected:
  void thermal_velocities(int first, int last, double *to) const override;
};

}    // namespace LAMMPS_NS

#endif
#endif
