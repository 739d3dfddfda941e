// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef MINIMIZE_CLASS
// clang-format off
MinimizeStyle(quickmin/threadpool,MinQuickMinThreadpool);
// clang-format on
#else

#ifndef LMP_MIN_QUICKMIN_THREADPOOL_H
#define LMP_MIN_QUICKMIN_THREADPOOL_H

#include "threadpool/minimize/damped_on_pool.h"

namespace LAMMPS_NS {

/** Damped dynamics, as min_style quickmin: velocities along forces. */
class MinQuickMinThreadpool : public DampedOnPool {
 public:
  using DampedOnPool::DampedOnPool;
  int iterate(int maxiter) override;
};

}    // namespace LAMMPS_NS

#endif
#endif
