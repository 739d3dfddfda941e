/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifdef COMMAND_CLASS
// clang-format off
CommandStyle(package/tofu,PackageTofu);
// clang-format on
#else

#ifndef LMP_PACKAGE_TOFU_H
#define LMP_PACKAGE_TOFU_H

#include "command.h"

namespace LAMMPS_NS {

/** package tofu comm brick | comm p2p_rdma keyword value ...; also on the command line as -pk, so
    that any input runs through p2p_rdma unedited. */
class PackageTofu : public Command {
 public:
  PackageTofu(class LAMMPS *lmp) : Command(lmp) {}
  void command(int, char **) override;
};

}    // namespace LAMMPS_NS

#endif
#endif
