/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifdef FIX_CLASS
// clang-format off
FixStyle(shake/threadpool,FixShakeThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_SHAKE_THREADPOOL_H
#define LMP_FIX_SHAKE_THREADPOOL_H

#include "fix_shake.h"

#include "threadpool/fix_on_pool.h"

namespace LAMMPS_NS {

/** Each cluster is constrained by fix shake's own functions, and on a rank no two of them change
    the same atom; those functions must not add to the virial at the same time. */
class FixShakeThreadpool : public FixOnPool<FixShake> {
 public:
  using FixOnPool::FixOnPool;
  void init() override;
  void post_force(int) override;

 protected:
  void unconstrained_update() override;

 private:
  int natoms_of(int cluster) const;
  bool is_owned(int cluster) const;
  void constrain(int cluster);
  void constrain_and_tally(int cluster, double *sum);
  void constrain_all();
};

}    // namespace LAMMPS_NS

#endif
#endif
