// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef MINIMIZE_CLASS
// clang-format off
MinimizeStyle(fire/threadpool,MinFireThreadpool);
// clang-format on
#else

#ifndef LMP_MIN_FIRE_THREADPOOL_H
#define LMP_MIN_FIRE_THREADPOOL_H

#include "threadpool/minimize/damped_on_pool.h"

namespace LAMMPS_NS {

/** Damped dynamics, as min_style fire, with its integrators and ABC-FIRE. */
class MinFireThreadpool : public DampedOnPool {
 public:
  using DampedOnPool::DampedOnPool;
  void init() override;
  void setup_style() override;
  int iterate(int maxiter) override;

 private:
  double dt_most = 0.0, dt_least = 0.0;
  double alpha = 0.0;    // part of the forces in velocities
  bigint first_step = 0;
  int nnegative = 0;       // steps in a row
  bool at_rest = false;    // velocities are 0

  /** What becomes of velocities before or after they are integrated. */
  struct Mix {
    bool mixes;    // else they stay
    double of_v, of_f;
  };

  void print_parameters() const;
  void start_leapfrog();
  Mix mix(const Products &);
  bool go_half_step_back();
  double time_of_step();
  void integrate(double time, const Mix &);
  void apply(const Mix &, double time, const Atoms &) const;
};

}    // namespace LAMMPS_NS

#endif
#endif
