// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef COMPUTE_CLASS
// clang-format off
ComputeStyle(temp/com/threadpool,ComputeTempCOMThreadpool);
// clang-format on
#else

#ifndef LMP_COMPUTE_TEMP_COM_THREADPOOL_H
#define LMP_COMPUTE_TEMP_COM_THREADPOOL_H

#include "compute_temp_com.h"

#include "threadpool/fixes/thermal_temperature.h"

namespace LAMMPS_NS {

class ComputeTempCOMThreadpool : public ThermalTemperature<ComputeTempCOM> {
 public:
  using ThermalTemperature::ThermalTemperature;

 protected:
  void set_bias() override;
  void thermal_velocities(int first, int last, double *to) const override;
};

}    // namespace LAMMPS_NS

#endif
#endif
