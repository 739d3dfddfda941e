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
FixStyle(npt/threadpool,FixNPTThreadpool);
// clang-format on
#else

#ifndef LMP_FIX_NPT_THREADPOOL_H
#define LMP_FIX_NPT_THREADPOOL_H

#include "fix_npt.h"

#include "threadpool/fixes/nose_hoover_on_pool.h"

namespace LAMMPS_NS {

class FixNPTThreadpool : public NoseHooverOnPool<FixNPT> {
 public:
  using NoseHooverOnPool::NoseHooverOnPool;
};

}    // namespace LAMMPS_NS

#endif
#endif
