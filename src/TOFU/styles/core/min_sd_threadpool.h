// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef MINIMIZE_CLASS
// clang-format off
MinimizeStyle(sd/threadpool,MinSDThreadpool);
// clang-format on
#else

#ifndef LMP_MIN_SD_THREADPOOL_H
#define LMP_MIN_SD_THREADPOOL_H

#include "threadpool/minimize/line_search_on_pool.h"

namespace LAMMPS_NS {

/** Steepest descent, as min_style sd. */
class MinSDThreadpool : public LineSearchOnPool {
 public:
  using LineSearchOnPool::LineSearchOnPool;
  int iterate(int maxiter) override;
};

}    // namespace LAMMPS_NS

#endif
#endif
