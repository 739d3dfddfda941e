// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "fix_threadpool.h"

#include "style_report.h"
#include "threadpool/lists/npair_threadpool.h"
#include "threadpool/lists/ntopo_threadpool.h"
#include "threadpool/pool/step_sums.h"

#include "lammps/io/run_advice.h"
#include "lammps/io/run_summary.h"
#include "lammps/styles/ring_styles.h"

#include "comm.h"
#include "error.h"
#include "modify.h"
#include "update.h"

#include <cstring>

using namespace LAMMPS_NS;
using namespace FixConst;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

FixThreadpool::FixThreadpool(LAMMPS *lmp, int narg, char **arg) :
    Fix(lmp, narg, arg), rank_pool(lmp)
{
  if (narg != 3 || strcmp(id, RankPool::ID) != 0)
    error->all(FLERR, "Fix THREADPOOL is added by the package threadpool command only");
}

/* ----------------------------------------------------------------------
   styles have a pointer to the pool: "run pre no" must initialize them
------------------------------------------------------------------------- */

FixThreadpool::~FixThreadpool()
{
  if (update) update->first_update = 0;
}

/* ---------------------------------------------------------------------- */

void FixThreadpool::init()
{
  rank_pool.announce();
  rank_pool.sums().forget();    // styles that have made some may be gone
  add_balance();
}

/* ----------------------------------------------------------------------
   a fix that is added in the init() of another one is initialized after it.
   That of an input comes first
------------------------------------------------------------------------- */

void FixThreadpool::add_balance()
{
  const std::string &wanted = rank_pool.balance();
  if (wanted.empty() || !modify->get_fix_by_style(RING_BALANCE).empty()) return;
  modify->add_fix(fmt::format("{} all {} rest yes", RING_OF_PACKAGE, wanted));
}

/* ---------------------------------------------------------------------- */

int FixThreadpool::setmask()
{
  return PRE_NEIGHBOR | MIN_PRE_NEIGHBOR | POST_RUN;
}

/* ----------------------------------------------------------------------
   Neighbor may have made its lists anew
------------------------------------------------------------------------- */

void FixThreadpool::setup_pre_neighbor()
{
  install_threadpool_lists(lmp);
  install_topology_lists(lmp);
}

/* ----------------------------------------------------------------------
   after init() of all styles, which may change what they are
------------------------------------------------------------------------- */

void FixThreadpool::log_styles()
{
  const std::string text = style_report(lmp);
  if (text != logged && comm->me == 0) utils::logmesg(lmp, text);
  logged = text;
}

/* ----------------------------------------------------------------------
   one thread is all that LAMMPS' styles need.
   The fix of comm_style p2p/rdma gives advice, if it is there
------------------------------------------------------------------------- */

void FixThreadpool::post_run()
{
  if (!summary_follows(lmp)) return;
  if (rank_pool.nparts() > 1 && update->nsteps >= FEWEST_STEPS_TO_TIME) {
    const std::string text = own_styles_share(lmp);
    if (comm->me == 0) utils::logmesg(lmp, text);
  }
  if (!modify->get_fix_by_style("^p2p[_/]rdma/stats$").empty()) return;
  const std::string advice = run_advice(lmp, false);
  if (comm->me == 0) utils::logmesg(lmp, advice);
}

/* ----------------------------------------------------------------------
   rows, which LAMMPS does not count where it has not made them.  Pair styles count
   their memory themselves
------------------------------------------------------------------------- */

double FixThreadpool::memory_usage()
{
  return memory_of_lists(lmp);
}

/* ---------------------------------------------------------------------- */

void *FixThreadpool::extract(const char *name, int &dim)
{
  dim = 0;
  if (strcmp(name, "threadpool") == 0) return &rank_pool;
  parts = rank_pool.nparts();
  return strcmp(name, "parts") == 0 ? &parts : nullptr;
}
