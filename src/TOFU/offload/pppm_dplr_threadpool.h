/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifdef KSPACE_CLASS
// clang-format off
KSpaceStyle(pppm/dplr/threadpool,PPPMDPLRThreadpool);
// clang-format on
#else

#ifndef LMP_PPPM_DPLR_THREADPOOL_H
#define LMP_PPPM_DPLR_THREADPOOL_H

#include "pppm_threadpool.h"

namespace LAMMPS_NS {

/** What kspace_style pppm/dplr of deepmd-kit is under the suffix: as pppm/threadpool, for a run
    with fix dplr. */
class PPPMDPLRThreadpool : public PPPMThreadpool {
 public:
  using PPPMThreadpool::PPPMThreadpool;
  void init() override;

 protected:
  const char *own_name() const override { return "pppm/dplr/threadpool"; }
};

}    // namespace LAMMPS_NS

#endif
#endif
