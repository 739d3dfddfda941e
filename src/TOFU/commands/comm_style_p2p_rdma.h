// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

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

/** comm_style p2p/rdma keyword value ... */
class CommStyleP2PRDMA : public Command {
 public:
  CommStyleP2PRDMA(class LAMMPS *lmp) : Command(lmp) {}
  void command(int, char **) override;
};

/** comm_style brick, from p2p/rdma or tiled: LAMMPS' own command takes p2p/rdma for brick. */
class CommStyleBrick : public Command {
 public:
  CommStyleBrick(class LAMMPS *lmp) : Command(lmp) {}
  void command(int, char **) override;
};

/** comm_style tiled, from p2p/rdma with layout tiled: LAMMPS' own command takes that for tiled. */
class CommStyleTiled : public Command {
 public:
  CommStyleTiled(class LAMMPS *lmp) : Command(lmp) {}
  void command(int, char **) override;
};

/** What LAMMPS begins with if it has the suffix threadpool: p2p/rdma, unless a switch -pk or the
    variable TOFU_COMM of the environment says otherwise. */
class CommStyleDefault : public Command {
 public:
  CommStyleDefault(class LAMMPS *lmp) : Command(lmp) {}
  void command(int, char **) override;
};

}    // namespace LAMMPS_NS

#endif
#endif
