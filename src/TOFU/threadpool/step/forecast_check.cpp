// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "forecast_check.h"

#include "kernels/motion/atom_forecast.h"
#include "kernels/motion/atom_travel.h"
#include "threadpool/pool/fix_on_pool.h"
#include "threadpool/pool/step_sums.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "neighbor.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <mpi.h>
#include <vector>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

ForecastCheck::ForecastCheck(LAMMPS *lmp, const Displacements &displacements_in) :
    Pointers(lmp), displacements(displacements_in),
    ranks_that_pass(
        RankSum::Of::FORCES, 1, [this](double *part) { *part = passes_soon; },
        [this](const double *nranks) { read_sum(*nranks); })
{
}

/* ---------------------------------------------------------------------- */

void ForecastCheck::begin_run(RankPool *threadpool, bool enabled_in)
{
  reduction.drop();    // an error may have ended the steps
  unsent.drop_sending();
  enabled = enabled_in;
  horizon.set_lookahead(enabled ? threadpool->check().ahead : 0);
  pays = pays || horizon.ahead() > 0;
  horizon.invalidate_speeds(update->ntimestep);
  history.forget();    // steps may be numbered anew
  if (enabled) keep_positions(threadpool);
}

/* ----------------------------------------------------------------------
   a reduction about other lists is not read: another one comes next
------------------------------------------------------------------------- */

void ForecastCheck::begin_lists()
{
  nchecks.now = 0;
  unsent.begin_lists(update->ntimestep);
  if (!agreed) horizon.invalidate_speeds(update->ntimestep);
  agreed = near = false;
}

/* ---------------------------------------------------------------------- */

void ForecastCheck::note_build()
{
  const double weight = nchecks.mean > 0.0 ? 0.25 : 1.0;
  nchecks.mean += weight * (nchecks.now - nchecks.mean);
  pays = horizon.ahead() > 0 || forecasts_pay();
}

/* ----------------------------------------------------------------------
   forecasts save reductions, and cost time for each atom at each reduction.  By counts
   alone, which are the same on all ranks and in every run
------------------------------------------------------------------------- */

bool ForecastCheck::forecasts_pay() const
{
  constexpr double NREDUCTIONS = 2.0;    // for one list
  constexpr double FORECAST = 0.01;      // microseconds per atom, on a Xeon
  constexpr double REDUCTION = 5.0;      // microseconds each time the number of ranks doubles
  const double made = NREDUCTIONS / std::max(nchecks.mean, NREDUCTIONS),
               natoms = static_cast<double>(atom->natoms) / comm->nprocs;
  return made * natoms * FORECAST <= (1.0 - made) * REDUCTION * std::log2(comm->nprocs);
}

/* ---------------------------------------------------------------------- */

bool ForecastCheck::check(RankPool *threadpool)
{
  nchecks.now++;
  if (!in_use()) return false;
  const bool longer = update->dt > dt_reduced,
             shorter = build_is_certain() && update->dt < dt_reduced;
  if (horizon.is_check_step(update->ntimestep) || longer || shorter) return reduce_now(threadpool);
  if (build_ahead(threadpool)) {
    unsent.late_in_first_step =
        in_first_step_allowed(neighbor) && displacements.some_passed(threadpool);
    return true;
  }
  if (!unsent.has_passed() && displacements.some_passed(threadpool))
    unsent.note_passed(update->ntimestep);
  return false;
}

/* ----------------------------------------------------------------------
   as a reduction says that is read now, or was before
------------------------------------------------------------------------- */

bool ForecastCheck::build_ahead(RankPool *threadpool)
{
  if (horizon.is_result_step(update->ntimestep)) return read_reduction();
  if (!horizon.is_build_step(update->ntimestep)) return false;
  if (certain_step == update->ntimestep)
    unsent.predicted_too_early = !displacements.some_passed(threadpool);
  horizon.built(update->ntimestep, build_steps());
  agreed = true;
  near = near_if_built;
  return true;
}

/* ----------------------------------------------------------------------
   whether a build is next, since an atom has passed then for certain
------------------------------------------------------------------------- */

bool ForecastCheck::build_is_certain() const
{
  return horizon.ahead() == 0 && horizon.is_build_step(update->ntimestep);
}

/* ---------------------------------------------------------------------- */

CheckHorizon::BuildSteps ForecastCheck::build_steps() const
{
  return {update->ntimestep - neighbor->ago, neighbor->delay, neighbor->every};
}

/* ----------------------------------------------------------------------
   for this step and those up to the next reduction
------------------------------------------------------------------------- */

bool ForecastCheck::reduce_now(RankPool *threadpool)
{
  reduction.drop();
  reduced_at = update->ntimestep;
  const CheckHorizon::Findings found = findings(threadpool, 0);
  certain_step = update->ntimestep + found.predicted_build_steps;
  CheckHorizon::Numbers numbers = horizon.numbers_of(found);
  MPI_Allreduce(MPI_IN_PLACE, numbers.data(), numbers.size(), MPI_INT, MPI_MIN, world);
  const CheckHorizon::Verdict verdict = horizon.decide(update->ntimestep, numbers, build_steps());
  counts.nreductions++;
  dt_reduced = update->dt;
  unsent.send_at_once();
  if (verdict.build && !verdict.late && in_first_step_allowed(neighbor)) neighbor->ndanger++;
  accept(verdict);
  return verdict.build;
}

/* ----------------------------------------------------------------------
   if an atom is beyond the limit, lists are built when the reduction is read
------------------------------------------------------------------------- */

void ForecastCheck::start_reduction(RankPool *threadpool)
{
  CheckHorizon::Findings found = findings(threadpool, horizon.most_to_build());
  if (unsent.has_passed()) found.late = std::max(found.late, unsent.late(horizon.next()));
  unsent.start_sending();
  const CheckHorizon::Numbers numbers = horizon.numbers_of(found, true);
  reduction.start(lmp, numbers.data(), numbers.size());
  counts.nreductions++;
  counts.nstarted++;
  dt_reduced = update->dt;
}

/* ---------------------------------------------------------------------- */

bool ForecastCheck::read_reduction()
{
  const std::vector<int> &smallest = reduction.read();
  CheckHorizon::Numbers numbers{};
  std::copy(smallest.begin(), smallest.end(), numbers.begin());
  const CheckHorizon::Verdict verdict =
      horizon.decide_started(update->ntimestep, numbers, build_steps());
  unsent.finish_sending();
  accept(verdict);
  return verdict.build;
}

/* ---------------------------------------------------------------------- */

void ForecastCheck::accept(const CheckHorizon::Verdict &verdict)
{
  if (verdict.late) {
    neighbor->ndanger++;
    counts.nlate++;
    warn_late(verdict.late);
  }
  if (verdict.late_in_first_step) neighbor->ndanger++;
  near_if_built = !verdict.far;
  agreed = verdict.build;
  near = agreed && near_if_built;
}

/* ---------------------------------------------------------------------- */

void ForecastCheck::prepare_next(RankPool *threadpool)
{
  if (horizon.is_start_step(update->ntimestep)) start_reduction(threadpool);
  if (threadpool->sums().expects_requests()) join_sums(threadpool);
  keep_positions(threadpool);
}

/* ----------------------------------------------------------------------
   a sum over ranks that is made in this step also counts those that might have to
   build lists in the next; if it is 0, no reduction is needed then
------------------------------------------------------------------------- */

void ForecastCheck::join_sums(RankPool *threadpool)
{
  if (!reduces_in(1) || reduced_at == update->ntimestep) return;
  const CheckHorizon::Findings found = findings(threadpool, 0);
  passes_soon = found.passed || !horizon.is_safe_for_a_step(found);
  summed_at = update->ntimestep;
  threadpool->sums().join_next_request(ranks_that_pass);
}

void ForecastCheck::read_sum(double nranks)
{
  if (nranks > 0.0 || summed_at != update->ntimestep) return;
  horizon.skip_next_check(update->ntimestep);
  dt_reduced = update->dt;
}

/* ----------------------------------------------------------------------
   the corners bring the limit closer by half of what they move.  Lists are built
   in one of so many steps ahead, if they are
------------------------------------------------------------------------- */

CheckHorizon::Findings ForecastCheck::findings(RankPool *threadpool, int ahead)
{
  const double *const earlier = x_before(1);
  double closer = 0.0;
  if (earlier && box_moves(domain)) {
    const bool is_new = neighbor->ago == 1;
    const BoxCorners &before = is_new ? displacements.corners()
                                      : corners[(update->ntimestep - 1) % PositionHistory::NSTEPS];
    closer = 0.5 * BoxCorners(domain).moved_since(before);
  }
  const int natoms = displacements.natoms(), nparts = parts_for_atoms(threadpool, natoms);
  const AtomTravel nothing(horizon.most());
  std::vector<AtomTravel> of_parts(nparts, nothing);
  const double distance = displacements.limit();
  for_parts_of_atoms(threadpool, nparts, natoms, [&](int part, int first, int last) {
    const double *const hold = neighbor->get_xhold()[first], *const now = atom->x[first];
    add_travel({hold, earlier ? earlier + 3 * static_cast<std::size_t>(first) : now, now},
               last - first, distance, closer, of_parts[part]);
  });
  AtomTravel all = nothing;
  for (const AtomTravel &part : of_parts) all.add(part);

  CheckHorizon::Findings found;
  found.passed = all.largest > displacements.limit_sq() || unsent.has_passed();
  found.late = unsent.late(update->ntimestep);
  found.late_in_first_step = unsent.late_in_first_step;
  found.predicted_too_early = unsent.predicted_too_early;
  if (!natoms || earlier) {
    found.steps_at_current_speed = all.steps_at_current_speed;
    const double gain = forecast_paths(threadpool, closer, found);
    const double fastest = std::sqrt(all.fastest) + horizon.to_build(found) * gain;
    found.steps_if_built = 0.5 * neighbor->skin / (fastest + closer);
  }
  const double farther = std::max(ahead, horizon.to_build(found)) * horizon.margin();
  found.far = displacements.is_far(std::sqrt(all.largest) + farther * std::sqrt(all.fastest),
                                   farther * closer);
  return found;
}

/* ----------------------------------------------------------------------
   if positions of the last steps are there

   Returns: the largest gain of speed in a step
------------------------------------------------------------------------- */

double ForecastCheck::forecast_paths(RankPool *threadpool, double closer,
                                     CheckHorizon::Findings &found)
{
  std::array<const double *, PositionHistory::NSTEPS + 1> at{};
  for (int k = 1; k <= PositionHistory::NSTEPS; k++) {
    at[k] = x_before(k);
    if (!at[k]) return 0.0;
  }
  const int natoms = displacements.natoms(), nparts = parts_for_atoms(threadpool, natoms);
  std::vector<PathForecast> of_parts(nparts);
  for_parts_of_atoms(threadpool, nparts, natoms, [&](int part, int first, int last) {
    const std::size_t from = 3 * static_cast<std::size_t>(first);
    add_forecast(
        {neighbor->get_xhold()[first], at[3] + from, at[2] + from, at[1] + from, atom->x[first]},
        last - first, of_parts[part]);
  });
  PathForecast all;
  for (const PathForecast &part : of_parts) all.add(part);
  horizon.predict(all, displacements.limit(), closer, update->ntimestep, build_steps(), found);
  if (box_moves(domain))
    found.predicted_build_steps = PathForecast::NEVER;    // the limit may move away
  return std::sqrt(all.gain);
}

/* ----------------------------------------------------------------------
   positions some steps ago, or nullptr: there are none of these atoms
------------------------------------------------------------------------- */

const double *ForecastCheck::x_before(int nsteps) const
{
  const int natoms = displacements.natoms();
  if (natoms == 0 || displacements.others_have_built() || neighbor->ago < nsteps) return nullptr;
  if (neighbor->ago == nsteps) return neighbor->get_xhold()[0];
  return history.at(update->ntimestep - nsteps, natoms);
}

/* ---------------------------------------------------------------------- */

bool ForecastCheck::reduces_in(int nsteps) const
{
  return in_use() && horizon.is_check_step(update->ntimestep + nsteps) &&
      may_build_lists(neighbor, neighbor->ago + nsteps);
}

/* ----------------------------------------------------------------------
   for the next steps, if one of them has a reduction.  What is read may say that the
   next one starts at once
------------------------------------------------------------------------- */

void ForecastCheck::keep_positions(RankPool *threadpool)
{
  bool wanted = false;
  for (int k = 1; k <= PositionHistory::NSTEPS; k++) {
    const bigint step = update->ntimestep + k;
    wanted = wanted || reduces_in(k) || horizon.is_start_step(step) ||
        horizon.is_result_step(step) ||
        (threadpool->sums().expects_requests() && reduces_in(k + 1));
  }
  if (!in_use() || !wanted) return;
  double *const kept = history.keep(update->ntimestep, displacements.natoms());
  for_atoms(threadpool, displacements.natoms(), [&](int first, int last) {
    std::copy_n(atom->x[first], 3 * (last - first), kept + 3 * static_cast<std::size_t>(first));
  });
  if (box_moves(domain)) corners[update->ntimestep % PositionHistory::NSTEPS] = BoxCorners(domain);
}

/* ---------------------------------------------------------------------- */

void ForecastCheck::warn_late(int nsteps)
{
  if (warned) return;
  warned = true;
  if (comm->me == 0)
    error->warning(FLERR,
                   "Neighbor lists were used {} step{} longer than with package threadpool check "
                   "step, since an atom became faster than foreseen; ranks ask more often now",
                   nsteps, nsteps == 1 ? "" : "s");
}

/* ----------------------------------------------------------------------
   the forces of this step are of the old lists, too.  Some commands end without
   a run, others have several runs to one end
------------------------------------------------------------------------- */

std::string ForecastCheck::end_run(bigint nchecks_made, bigint nreductions)
{
  const Counts done = counts;
  counts = Counts();
  if (!enabled || nchecks_made == 0) return "";
  const int nsteps = unsent.late(update->ntimestep + (unsent.has_passed() ? 1 : 0));
  std::array<int, 2> numbers{nsteps, unsent.late_in_first_step};
  MPI_Allreduce(MPI_IN_PLACE, numbers.data(), 2, MPI_INT, MPI_MAX, world);
  const auto [most, some_in_first_step] = numbers;
  unsent.forget_late();
  if (some_in_first_step) neighbor->ndanger++;
  if (most) {
    neighbor->ndanger++;
    horizon.widen();
    warn_late(most);
  }
  const std::string ahead = horizon.ahead() ? fmt::format(" ({} started ahead)", done.nstarted)
                                            : "";
  return fmt::format("TOFU threadpool: {} neighbor checks by {} reductions{}, {} too late\n",
                     nchecks_made, nreductions + done.nreductions, ahead, done.nlate + (most > 0));
}
