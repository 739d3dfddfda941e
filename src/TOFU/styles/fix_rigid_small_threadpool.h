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
FixStyle(rigid/small/threadpool,FixRigidSmallThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_RIGID_SMALL_THREADPOOL_H
#define LMP_FIX_RIGID_SMALL_THREADPOOL_H

#include "fix_rigid_small.h"

#include "threadpool/rigid/rigid_style.h"

namespace LAMMPS_NS {

class FixRigidSmallThreadpool : public RigidStyle<FixRigidSmall> {
 public:
  using RigidStyle::RigidStyle;
  void initial_integrate(int) override;
  void final_integrate() override;
};

}    // namespace LAMMPS_NS

#endif
#endif
