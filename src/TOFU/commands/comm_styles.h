// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// Communication styles for the registry that packaging/upstream/comm-styles.patch adds to LAMMPS.
// In a LAMMPS without it CMake leaves this header out and changes Input::comm_style() in a copy.

#ifdef COMM_CLASS
// clang-format off
CommStyle(brick,CommByCommand<CommStyleBrick>);
CommStyle(p2p/rdma,CommByCommand<CommStyleP2PRDMA>);
CommStyle(p2p_rdma,CommByCommand<CommStyleP2PRDMA>);
CommStyle(tiled,CommByCommand<CommStyleTiled>);
// clang-format on
#else

#ifndef LMP_COMM_STYLES_H
#define LMP_COMM_STYLES_H

#include "comm_style_p2p_rdma.h"

#include "lammps.h"

namespace LAMMPS_NS {

/** A style that a command of the package installs in place of the current one. */
template <class StyleCommand> struct CommByCommand {
  /** \param narg,arg   words behind the style
      \return           the style that is installed then; LAMMPS deletes no other one */
  static Comm *create(LAMMPS *lmp, int narg, char **arg)
  {
    StyleCommand(lmp).command(narg, arg);
    return lmp->comm;
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
