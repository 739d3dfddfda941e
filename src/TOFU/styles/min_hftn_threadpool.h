/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifdef MINIMIZE_CLASS
// clang-format off
MinimizeStyle(hftn/threadpool,MinHFTNThreadpool);
// clang-format on
#else

#ifndef LMP_MIN_HFTN_THREADPOOL_H
#define LMP_MIN_HFTN_THREADPOOL_H

#include "threadpool/newton_step_on_pool.h"

namespace LAMMPS_NS {

/** Truncated Newton steps without a Hessian, as min_style hftn: each within a radius that follows
    how well energies were predicted. */
class MinHFTNThreadpool : public NewtonStepOnPool {
 public:
  using NewtonStepOnPool::NewtonStepOnPool;
  int iterate(int) override;

 private:
  Place here{};
  TOFU_NS::TrustRegion region{};

  void start();
  double largest_coordinate() const;
  double tolerance() const;
  double predict(const TOFU_NS::NewtonStep &);
  bool is_near(double energy) const;
  bool is_better(const Place &there) const;
  void accept(const Place &there, const TOFU_NS::NewtonStep &, double predicted);
  void reject(const Place &there, const TOFU_NS::NewtonStep &, double predicted);
  void end_iteration(bool accepted);
};

}    // namespace LAMMPS_NS

#endif
#endif
