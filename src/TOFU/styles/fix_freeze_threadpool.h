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
FixStyle(freeze/threadpool,FixFreezeThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_FREEZE_THREADPOOL_H
#define LMP_FIX_FREEZE_THREADPOOL_H

#include "fix_freeze.h"

#include "threadpool/pool/fix_on_pool.h"

namespace LAMMPS_NS {

class FixFreezeThreadpool : public FixOnPool<FixFreeze> {
 public:
  using FixOnPool::FixOnPool;
  void init() override;
  void post_force(int) override;
};

}    // namespace LAMMPS_NS

#endif
#endif
