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

#ifdef KSPACE_CLASS
// clang-format off
KSpaceStyle(pppm/tip4p/threadpool,PPPMTIP4PThreadpool);
// clang-format on
#else

#ifndef LMP_PPPM_TIP4P_THREADPOOL_H
#define LMP_PPPM_TIP4P_THREADPOOL_H

#include "pppm_threadpool.h"

namespace LAMMPS_NS {

/** What kspace_style pppm/tip4p is under the suffix: pppm/tip4p/offload where its results are those
    of pppm/tip4p, else LAMMPS' own. */
class PPPMTIP4PThreadpool : public PPPMThreadpool {
 public:
  explicit PPPMTIP4PThreadpool(class LAMMPS *lmp) : PPPMThreadpool(lmp) { tip4pflag = 1; }

 protected:
  const char *own_name() const override { return "pppm/tip4p/threadpool"; }
};

}    // namespace LAMMPS_NS

#endif
#endif
