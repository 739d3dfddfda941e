// SPDX-License-Identifier: GPL-2.0-only

#include "pppm_overlap.h"

#include "fix_kspace_overlap.h"
#include "pool/thread_pool.h"
#include "pppm_links.h"
#include "threadpool/pool/rank_pool.h"

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "update.h"

#include <algorithm>
#include <exception>
#include <system_error>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr double SPIN = 2e-3;    // seconds that an idle thread polls, with its own core
static constexpr double LEAST_WORK = 1e-3;    // seconds that pay for a turn on a shared core
static constexpr double NAP = 20e-6;    // seconds; a message within a node takes a tenth of it

/* ---------------------------------------------------------------------- */

PPPMOverlap::PPPMOverlap(LAMMPS *lmp, PPPMLinks &l) :
    Pointers(lmp), links(l),
    solve([this](const MeshRequest &request) { return links.mesh().solve(request); })
{
}

/* ---------------------------------------------------------------------- */

void PPPMOverlap::init(bool user_wants_it, bool without_gain)
{
  wanted = user_wants_it;
  always = without_gain;
  solve.reset_times();
  nbeside = 0;
  gains = true;
  solve.end_thread();    // the pool may have other processors now
  possible = is_possible();
  if (possible) FixKspaceOverlap::append(lmp);
}

/* ---------------------------------------------------------------------- */

bool PPPMOverlap::is_possible() const
{
  if (!wanted) return false;
  const std::string reason = obstacle();
  if (!reason.empty() && comm->me == 0)
    error->warning(FLERR, "{}: the long-range part runs after the pair forces, not beside them: {}",
                   PPPM_OFFLOAD, reason);
  return reason.empty();
}

/* ---------------------------------------------------------------------- */

std::string PPPMOverlap::obstacle() const
{
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (links.use_mpi() && level < MPI_THREAD_MULTIPLE)
    return "its messages go through MPI, which was not initialized for several threads";
  if (update->whichflag == 1 && utils::strmatch(update->integrate_style, "^respa"))
    return "run_style respa computes forces at several times of a step";
  if (update->whichflag == 1 && utils::strmatch(update->integrate_style, "^verlet/split"))
    return "with run_style verlet/split other ranks compute it";
  return "";
}

/* ---------------------------------------------------------------------- */

void PPPMOverlap::update_links()
{
  if (possible) possible = is_possible();
}

/* ----------------------------------------------------------------------
   LAMMPS' thread may be bound to one processor, which the new thread would inherit
------------------------------------------------------------------------- */

void PPPMOverlap::make_thread()
{
  if (!possible || solve.has_thread()) return;
  SideThread::Options options;
  RankPool *const threadpool = RankPool::find(lmp);
  options.processors = threadpool ? threadpool->pool().spare_processors()
                                  : RankPool::processors_of_this_rank(lmp);
  const bool spare = options.processors.size() > (threadpool ? 0 : 1);
  if (threadpool && !spare) options.processors = threadpool->pool().callers_processors();
  options.spin = spare ? SPIN : 0.0;
  shares_core = !spare;
  one_node = links.on_one_node();
  int failed = 0, any_failed;
  try {
    solve.make_thread(options);
  } catch (const std::system_error &failure) {
    failed = 1;
    error->warning(FLERR,
                   "{}: rank {} cannot start a thread: {}; the long-range part runs after the "
                   "pair forces",
                   PPPM_OFFLOAD, comm->me, failure.what());
  }
  MPI_Allreduce(&failed, &any_failed, 1, MPI_INT, MPI_MAX, world);
  if (any_failed) solve.end_thread();
  possible = !any_failed;
}

/* ---------------------------------------------------------------------- */

void PPPMOverlap::disable()
{
  solve.end_thread();
  possible = false;
}

/* ---------------------------------------------------------------------- */

void PPPMOverlap::start()
{
  links.mesh().set_nap(shares_core ? NAP : 0.0);
  solve.start(update->ntimestep);
}

/* ---------------------------------------------------------------------- */

bool PPPMOverlap::started_for(const MeshRequest &results)
{
  if (update->setupflag || !solve.started_for(update->ntimestep, results)) return false;
  if (solve.request.natoms != atom->nlocal || solve.request.q != atom->q)
    error->one(FLERR,
               "{}: atoms of rank {} have changed while forces were computed; use "
               "kspace_modify overlap no",
               PPPM_OFFLOAD, comm->me);
  nbeside++;
  return true;
}

/* ---------------------------------------------------------------------- */

const MeshResults &PPPMOverlap::finish(const Parts &parts)
{
  try {
    solve.finish(parts);
  } catch (const std::exception &failure) {
    error->one(FLERR, "{}: {}", PPPM_OFFLOAD, failure.what());
  }
  links.write_warnings();
  return solve.results();
}

/* ---------------------------------------------------------------------- */

void PPPMOverlap::await()
{
  if (solve.busy()) finish(Parts());
}

/* ----------------------------------------------------------------------
   two threads that share a core lose time at every switch, and gain only the time
   that the long-range part waits for messages of other nodes.  A thread beside the
   pool would leave all its threads to wait for the one whose core it takes; they
   rather share this work, too.  The rank with the least to spare decides for all
------------------------------------------------------------------------- */

void PPPMOverlap::measure_gain(const Parts &parts)
{
  if (always || !solve.has_thread()) return;
  enum { OWN_CORE, WAITS_FOR_NODES, SHARES_CORE };
  RankPool *const threadpool = RankPool::find(lmp);
  const bool one_thread = !threadpool || threadpool->pool().nthreads() == 1;
  int mine = !shares_core ? OWN_CORE : one_thread && !one_node ? WAITS_FOR_NODES : SHARES_CORE, any;
  MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, world);
  if (any == OWN_CORE) return;
  const bool gained = gains;
  gains = false;
  if (any == WAITS_FOR_NODES) {
    // the first solution is no measure, since it fills caches and pages

    double seconds = 0.0, longest;
    try {
      seconds = solve.measure(parts);
    } catch (const std::exception &failure) {
      error->one(FLERR, "{}: {}", PPPM_OFFLOAD, failure.what());
    }
    links.write_warnings();
    MPI_Allreduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, world);
    gains = longest >= LEAST_WORK;
  }
  if (comm->me == 0 && gained && !gains)
    utils::logmesg(lmp,
                   "TOFU pppm/offload: the long-range part runs after the pair forces: there is no "
                   "processor to spare for it\n");
}

/* ---------------------------------------------------------------------- */

void PPPMOverlap::end_step()
{
  if (!solve.busy()) return;
  await();
  possible = false;
  if (comm->me == 0)
    error->warning(FLERR,
                   "{}: the long-range part was started and not asked for; it runs after the pair "
                   "forces from now on",
                   PPPM_OFFLOAD);
}

/* ---------------------------------------------------------------------- */

void PPPMOverlap::print_statistics()
{
  await();
  const SideSolve::Times &times = solve.times();
  double mine[2] = {times.solving, times.visible}, all[2];
  MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, world);
  if (comm->me || nbeside == 0 || all[0] <= 0.0) return;
  utils::logmesg(lmp,
                 "\nTOFU pppm/offload: long-range part {:.1f} us a step, {:.1f} % of it hidden "
                 "behind other work; {} of {} steps had it beside the pair forces\n",
                 1e6 * all[0] / comm->nprocs / times.nsolved,
                 100.0 * std::max(0.0, 1.0 - all[1] / all[0]), nbeside, times.nsolved);
}
