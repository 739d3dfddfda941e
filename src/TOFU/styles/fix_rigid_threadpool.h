/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

/* ----------------------------------------------------------------------
   Contributing authors: the TOFU developers
------------------------------------------------------------------------- */

#ifdef FIX_CLASS
// clang-format off
FixStyle(rigid/threadpool,FixRigidThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_RIGID_THREADPOOL_H
#define LMP_FIX_RIGID_THREADPOOL_H

#include "fix_rigid.h"

#include "threadpool/rigid/shared_bodies_style.h"

namespace LAMMPS_NS {

class FixRigidThreadpool : public SharedBodiesStyle<FixRigid> {
 public:
  using SharedBodiesStyle::SharedBodiesStyle;
};

}    // namespace LAMMPS_NS

#endif
#endif
