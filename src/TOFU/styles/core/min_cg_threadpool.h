// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef MINIMIZE_CLASS
// clang-format off
MinimizeStyle(cg/threadpool,MinCGThreadpool);
// clang-format on
#else

#ifndef LMP_MIN_CG_THREADPOOL_H
#define LMP_MIN_CG_THREADPOOL_H

#include "threadpool/minimize/line_search_on_pool.h"

namespace LAMMPS_NS {

/** Conjugate gradients, as min_style cg: the directions of Polak and Ribiere. */
class MinCGThreadpool : public LineSearchOnPool {
 public:
  using LineSearchOnPool::LineSearchOnPool;
  int iterate(int maxiter) override;

 private:
  struct Products {
    double ff, fg;    // of forces with themselves, and with those before
  };

  void start();
  Products products();
  void next_direction(double beta);
};

}    // namespace LAMMPS_NS

#endif
#endif
