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
CommandStyle(comm_style/p2p/rdma,CommStyleP2PRDMA);
CommandStyle(comm_style/p2p_rdma,CommStyleP2PRDMA);
CommandStyle(comm_style/brick,CommStyleBrick);
CommandStyle(comm_style/default,CommStyleDefault);
CommandStyle(comm_style/tiled,CommStyleTiled);
// clang-format on
#else

#ifndef LMP_COMM_STYLE_P2P_RDMA_H
#define LMP_COMM_STYLE_P2P_RDMA_H

#include "command.h"

namespace LAMMPS_NS {

/** comm_style p2p_rdma keyword value ... */
class CommStyleP2PRDMA : public Command {
 public:
  CommStyleP2PRDMA(class LAMMPS *lmp) : Command(lmp) {}
  void command(int, char **) override;
};

/** comm_style brick, from p2p_rdma or tiled: LAMMPS' own command takes p2p_rdma for brick. */
class CommStyleBrick : public Command {
 public:
  CommStyleBrick(class LAMMPS *lmp) : Command(lmp) {}
  void command(int, char **) override;
};

/** comm_style tiled, from p2p_rdma with layout tiled: LAMMPS' own command takes that for tiled. */
class CommStyleTiled : public Command {
 public:
  CommStyleTiled(class LAMMPS *lmp) : Command(lmp) {}
  void command(int, char **) override;
};

/** What LAMMPS begins with if it has the suffix threadpool: p2p_rdma, unless a switch -pk or the
    variable TOFU_COMM of the environment says otherwise. */
class CommStyleDefault : public Command {
 public:
  CommStyleDefault(class LAMMPS *lmp) : Command(lmp) {}
  void command(int, char **) override;
};

}    // namespace LAMMPS_NS

#endif
#endif
