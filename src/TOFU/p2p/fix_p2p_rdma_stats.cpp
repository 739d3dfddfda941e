// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "fix_p2p_rdma_stats.h"

#include "comm_p2p_rdma.h"
#include "lammps/io/run_advice.h"
#include "lammps/io/run_summary.h"

#include "error.h"

#include <string>

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

FixP2PRDMAStats::FixP2PRDMAStats(LAMMPS *lmp, int narg, char **arg) : Fix(lmp, narg, arg)
{
  if (narg != 3) error->all(FLERR, "Illegal fix p2p_rdma/stats command: it takes no arguments");
}

/* ----------------------------------------------------------------------
   the style may have been changed since the fix was added
------------------------------------------------------------------------- */

void FixP2PRDMAStats::post_run()
{
  CommP2PRDMA *const p2p = CommP2PRDMA::find(comm);
  if (!p2p) return;
  p2p->print_statistics();
  if (!TOFU_NS::summary_follows(lmp)) return;
  const std::string advice = TOFU_NS::run_advice(lmp, true);
  if (comm->me == 0) utils::logmesg(lmp, advice);
}
