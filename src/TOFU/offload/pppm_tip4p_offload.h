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
KSpaceStyle(pppm/tip4p/offload,PPPMTIP4POffload);
// clang-format on
#else

#ifndef LMP_PPPM_TIP4P_OFFLOAD_H
#define LMP_PPPM_TIP4P_OFFLOAD_H

#include "pppm_offload.h"

namespace LAMMPS_NS {

/** pppm/offload for water of four points: charges of oxygens are at sites beside them. */
class PPPMTIP4POffload : public PPPMOffload {
 public:
  explicit PPPMTIP4POffload(class LAMMPS *lmp) : PPPMOffload(lmp) { tip4pflag = 1; }

 protected:
  const char *own_name() const override { return "pppm/tip4p/offload"; }
};

}    // namespace LAMMPS_NS

#endif
#endif
