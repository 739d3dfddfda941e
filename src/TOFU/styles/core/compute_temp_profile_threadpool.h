// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef COMPUTE_CLASS
// clang-format off
ComputeStyle(temp/profile/threadpool,ComputeTempProfileThreadpool);
// clang-format on
#else

#ifndef LMP_COMPUTE_TEMP_PROFILE_THREADPOOL_H
#define LMP_COMPUTE_TEMP_PROFILE_THREADPOOL_H

#include "compute_temp_profile.h"

#include "threadpool/fixes/thermal_temperature.h"
#include "threadpool/fixes/velocity_profile.h"

namespace LAMMPS_NS {

/** Temperatures of bins (out bin) are left to LAMMPS. */
class ComputeTempProfileThreadpool : public ThermalTemperature<ComputeTempProfile> {
 public:
  ComputeTempProfileThreadpool(class LAMMPS *, int, char **);
  void remove_bias(int, double *) override;
  void remove_bias_thr(int, double *, double *) override;
  void remove_bias_all() override;
  void restore_bias(int, double *) override;
  void restore_bias_thr(int, double *, double *) override;
  void restore_bias_all() override;
  double memory_usage() override;

 protected:
  void set_bias() override { profile.average(groupbit); }
  void thermal_velocities(int first, int last, double *to) const override;

 private:
  VelocityProfile profile;
};

}    // namespace LAMMPS_NS

#endif
#endif
