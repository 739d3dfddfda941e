// SPDX-License-Identifier: GPL-2.0-only

#include "ring_decision.h"

#include "ring_ranks.h"
#include "ring_settings.h"
#include "row_cost.h"

#include "comm.h"
#include "platform.h"
#include "update.h"

#include <algorithm>
#include <cmath>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void RingDecision::init()
{
  plan.clear();
  next = -1;
  nmade = 0;
}

/* ---------------------------------------------------------------------- */

void RingDecision::start_run()
{
  if (trial.running()) trial.resume(update->ntimestep, platform::walltime());
  next = update->ntimestep;
}

/* ----------------------------------------------------------------------
   times are added up at the end of the trial, which gives the same result on all
   ranks
------------------------------------------------------------------------- */

void RingDecision::advance_trial()
{
  if (!trial.running()) return;
  const bigint step = update->ntimestep;
  if (update->whichflag != 1) {
    trial.resume(step, platform::walltime());
    return;
  }
  if (!trial.at_build(step, platform::walltime())) return;
  if (trial.complete()) {
    const double mine[2] = {trial.times().with, trial.times().without};
    double sums[2];
    MPI_Allreduce(mine, sums, 2, MPI_DOUBLE, MPI_SUM, world);
    trial.conclude(step, {sums[0] / comm->nprocs, sums[1] / comm->nprocs});
  }
  next = step;
}

/* ---------------------------------------------------------------------- */

void RingDecision::plan_if_due(RowCost &cost, const RingRanks &ranks)
{
  const bigint step = update->ntimestep;
  if (step < next) return;
  next = settings.nevery ? step + settings.nevery : MAXBIGINT;
  nmade++;
  make_plan(cost, ranks);
  if (settings.rest) rest_unless_it_pays();
}

/* ---------------------------------------------------------------------- */

void RingDecision::make_plan(RowCost &cost, const RingRanks &ranks)
{
  const MeasuredWork mine = cost.work(settings.weight == RingSettings::Weight::TIME);
  static_assert(sizeof(MeasuredWork) == 2 * sizeof(double), "gathered as two numbers");
  std::vector<MeasuredWork> all(comm->nprocs);
  MPI_Allgather(&mine, 2, MPI_DOUBLE, all.data(), 2, MPI_DOUBLE, world);
  scale = plan_scales(all)[comm->me];
  plan = plan_work(ranks.ring(), ranks.node_of_rank(), all, settings.plan);
}

/* ----------------------------------------------------------------------
   no plan is due while a trial, or its result, keeps all rows with their owners
------------------------------------------------------------------------- */

void RingDecision::rest_unless_it_pays()
{
  const bigint step = update->ntimestep;
  if (plan.empty()) {
    trial.stop();
    return;
  }
  if (trial.due(step) && update->whichflag == 1) trial.start(step, platform::walltime());
  if (trial.hands_over()) return;
  plan.clear();
  next = trial.running() ? MAXBIGINT : std::max<bigint>(trial.next(), step + 1);
}

/* ---------------------------------------------------------------------- */

std::int64_t RingDecision::amount(const Transfer &transfer) const
{
  return std::llround(static_cast<double>(transfer.amount) / scale);
}

/* ---------------------------------------------------------------------- */

std::string RingDecision::reason_of_rest() const
{
  if (!trial.rests() || trial.running()) return "";
  return fmt::format("it does not pay: a step takes {:.1f} us with it, {:.1f} us without",
                     1e6 * trial.times().with, 1e6 * trial.times().without);
}
