// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(p2p/rdma/stats,FixP2PRDMAStats);
FixStyle(p2p_rdma/stats,FixP2PRDMAStats);
// clang-format on
#else

#ifndef LMP_FIX_P2P_RDMA_STATS_H
#define LMP_FIX_P2P_RDMA_STATS_H

#include "fix.h"

namespace LAMMPS_NS {

/** Prints at the end of every run what comm_style p2p/rdma has exchanged.  The style adds it by
    itself, since LAMMPS calls no function of Comm at the end of a run; unfix it to have no such
    output. */
class FixP2PRDMAStats : public Fix {
 public:
  FixP2PRDMAStats(class LAMMPS *, int, char **);
  int setmask() override { return 0; }
  void post_run() override;
};

}    // namespace LAMMPS_NS

#endif
#endif
