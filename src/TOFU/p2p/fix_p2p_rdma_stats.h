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
FixStyle(p2p/rdma/stats,FixP2PRDMAStats);
FixStyle(p2p_rdma/stats,FixP2PRDMAStats);
// clang-format on
#else

#ifndef LMP_FIX_P2P_RDMA_STATS_H
#define LMP_FIX_P2P_RDMA_STATS_H

#include "fix.h"

namespace LAMMPS_NS {

/** Prints at the end of every run what comm_style p2p_rdma has exchanged.  The style adds it by
    itself, since a Comm is not told when a run ends; unfix it to have no such output. */
class FixP2PRDMAStats : public Fix {
 public:
  FixP2PRDMAStats(class LAMMPS *, int, char **);
  int setmask() override { return 0; }
  void post_run() override;
};

}    // namespace LAMMPS_NS

#endif
#endif
