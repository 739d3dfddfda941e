// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef ANGLE_CLASS
// clang-format off
AngleStyle(cosine/periodic/threadpool,AngleCosinePeriodicThreadpool);
// clang-format on
#else

#ifndef LMP_ANGLE_COSINE_PERIODIC_THREADPOOL_H
#define LMP_ANGLE_COSINE_PERIODIC_THREADPOOL_H

#include "angle_cosine_periodic.h"

#include "threadpool/bonded/bonded_style.h"

namespace LAMMPS_NS {

class AngleCosinePeriodicThreadpool : public BondedStyle<AngleCosinePeriodic, 3> {
 public:
  using BondedStyle::BondedStyle;

 protected:
  void compute_on_pool() override;
};

}    // namespace LAMMPS_NS

#endif
#endif
