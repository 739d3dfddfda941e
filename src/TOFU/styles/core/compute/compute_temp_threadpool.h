// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef COMPUTE_CLASS
// clang-format off
ComputeStyle(temp/threadpool,ComputeTempThreadpool);
// clang-format on
#else

#ifndef LMP_COMPUTE_TEMP_THREADPOOL_H
#define LMP_COMPUTE_TEMP_THREADPOOL_H

#include "compute_temp.h"

#include "threadpool/fixes/velocity_sums.h"
#include "threadpool/pool/fix_on_pool.h"

namespace LAMMPS_NS {

/** Sums over ranks are made together with others that are wanted at the same time. */
class ComputeTempThreadpool : public ComputeOnPool<ComputeTemp> {
 public:
  ComputeTempThreadpool(class LAMMPS *, int, char **);
  void setup() override;
  double compute_scalar() override;
  void compute_vector() override;

 private:
  VelocitySums sums;
};

}    // namespace LAMMPS_NS

#endif
#endif
