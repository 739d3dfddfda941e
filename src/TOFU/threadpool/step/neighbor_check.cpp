/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "neighbor_check.h"

#include "threadpool/pool/fix_on_pool.h"
#include "threadpool/pool/step_sums.h"

#include "kernels/motion/atom_forecast.h"
#include "kernels/motion/atom_travel.h"
#include "lammps/ghost_exchange.h"
#include "lammps/neighbor_builds.h"
#include "lammps/scoped_state.h"
#include "lammps/styles/style_table.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "fix.h"
#include "modify.h"
#include "neighbor.h"
#include "update.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mpi.h>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

// an atom that has come this part of the way to the edge of what its rank has links to is not far:
// atoms and sub-boxes move otherwise, too, when lists are built

static constexpr double NEAR = 0.5;

static constexpr int SHRINK_WRAPPED = 2;    // Domain::nonperiodic

// largest part of the way to the limit that ranks tell each other, and its unit

static constexpr double MOST_PART = 1000.0, PART_UNIT = 1e-6;

// by what the next step may differ from the move that is foreseen at the end of this one: logarithm
// of a factor of velocities, and part of the skin that corners of the box move

static constexpr double MOST_FACTOR = 0.01, MOST_CLOSER = 0.005;

/* ----------------------------------------------------------------------
   what such a fix does to atoms is not foretold
------------------------------------------------------------------------- */

static void refuse_unknown_fixes(LAMMPS *lmp)
{
  for (const Fix *fix : lmp->modify->get_fix_list())
    if (!fix_traits(fix->style))
      lmp->error->all(
          FLERR,
          "Package threadpool check horizon and check ahead cannot foretell what fix {} "
          "does to atoms, since TOFU does not know it: use check overlap or check step, "
          "which are exact",
          fix->style);
}

/* ---------------------------------------------------------------------- */

void NeighborCheck::begin_run(RankPool *threadpool)
{
  question.drop();    // an error may have ended the steps
  tells_passed = false;
  rank_pool = threadpool;
  none_passes_in = -1;
  const bool asks = neighbor->dist_check && comm->nprocs > 1 && threadpool;
  by_horizon = asks && threadpool->check().way == RankPool::Check::HORIZON;
  by_overlap = asks && threadpool->checks_beside_pairs();
  if (by_horizon) refuse_unknown_fixes(lmp);
  horizon.look_ahead(by_horizon ? threadpool->check().ahead : 0);
  forecasts = forecasts || horizon.ahead() > 0;
  horizon.unsettle(update->ntimestep);
  for (Before &earlier : before) earlier.step = -1;    // steps may be numbered anew
  if (threadpool) keep_positions(threadpool);
}

/* ----------------------------------------------------------------------
   an answer to a question about other lists is not read: ranks ask next
------------------------------------------------------------------------- */

void NeighborCheck::hold()
{
  nchecks_now = 0;
  forecast.begin();
  tells_passed = false;
  corners_hold = BoxCorners(domain);
  held = LastBuild::of(neighbor);
  late_before = late();
  passed_at = -1;
  if (!foreseen) horizon.unsettle(update->ntimestep);
  foreseen = near = false;
}

/* ---------------------------------------------------------------------- */

void NeighborCheck::build(RankPool *threadpool)
{
  const int natoms = natoms_checked();
  const int nparts = threadpool ? parts_for_atoms(threadpool, natoms) : 1;
  if (nparts == 1)
    neighbor->build(1);
  else if (build_leaving_copy(neighbor, atom->nmax))
    for_parts_of_atoms(threadpool, nparts, natoms, [this](int, int first, int last) {
      std::copy_n(atom->x[first], 3 * (last - first), neighbor->get_xhold()[first]);
    });
  hold();
}

/* ---------------------------------------------------------------------- */

void NeighborCheck::note_build()
{
  const double weight = nchecks_mean > 0.0 ? 0.25 : 1.0;
  nchecks_mean += weight * (nchecks_now - nchecks_mean);
  forecasts = horizon.ahead() > 0 || forecasts_pay();
}

/* ----------------------------------------------------------------------
   forecasts save reductions, and cost time for each atom when ranks ask.  By counts
   alone, so that all ranks find the same, and every run does
------------------------------------------------------------------------- */

bool NeighborCheck::forecasts_pay() const
{
  constexpr double NASKED = 2.0;       // times that ranks ask, of one list
  constexpr double FORECAST = 0.01;    // microseconds per atom, on a Xeon
  constexpr double REDUCTION = 5.0;    // microseconds each time the number of ranks doubles
  const double asked = NASKED / std::max(nchecks_mean, NASKED),
               natoms = static_cast<double>(atom->natoms) / comm->nprocs;
  return asked * natoms * FORECAST <= (1.0 - asked) * REDUCTION * std::log2(comm->nprocs);
}

/* ---------------------------------------------------------------------- */

NeighborCheck::Lists NeighborCheck::decide(RankPool *threadpool, bool may_go_on)
{
  if (!neighbor->dist_check || !threadpool) return neighbor->decide() ? Lists::OLD : Lists::GOOD;
  const int ago = neighbor->ago;
  const bool due = due_without_distances();
  if (due && neighbor->ago == ago) return Lists::OLD;    // for a fix, or a restart file
  if (by_overlap && may_build(neighbor->ago + 1))
    threadpool->sums().make_with_last_requests(ranks_that_pass_next);
  const Lists found = due ? check(threadpool, may_go_on) : Lists::GOOD;
  if (found == Lists::OLD) note_build();
  if (found != Lists::GOOD) return found;
  if (horizon.starts(update->ntimestep)) start_question(threadpool);
  if (threadpool->sums().awaits()) ask_with_sums(threadpool);
  keep_positions(threadpool);
  return Lists::GOOD;
}

/* ----------------------------------------------------------------------
   without its own check Neighbor says whether one is due: it has counted the
   step then, while a fix that asks for lists, or a restart file, comes first
------------------------------------------------------------------------- */

bool NeighborCheck::due_without_distances()
{
  const ScopedDistanceCheck without(neighbor);
  return neighbor->decide();
}

/* ----------------------------------------------------------------------
   if others have built the lists, Neighbor alone has the box of that time
------------------------------------------------------------------------- */

NeighborCheck::Lists NeighborCheck::check(RankPool *threadpool, bool may_go_on)
{
  counts.nchecks++;
  nchecks_now++;
  if (held.is_over(neighbor)) {
    horizon.unsettle(update->ntimestep - 1);
    if (box_moves(domain)) {
      counts.nreductions++;
      return neighbor->check_distance() ? Lists::OLD : Lists::GOOD;
    }
  }
  if (sum_has_answered()) {
    counts.nby_sums++;
    return Lists::GOOD;
  }
  if (!uses_forecasts()) return ask_for_this_step(threadpool, may_go_on);
  if (horizon.asks(update->ntimestep) || update->dt > dt_asked ||
      (promised() && update->dt < dt_asked))
    return ask(threadpool) ? Lists::OLD : Lists::GOOD;
  if (build_ahead(threadpool)) {
    at_first = in_first_step() && some_passed(threadpool);
    return Lists::OLD;
  }
  if (passed_at < 0 && some_passed(threadpool)) passed_at = update->ntimestep;
  return Lists::GOOD;
}

/* ----------------------------------------------------------------------
   as an answer says that is read now, or was before
------------------------------------------------------------------------- */

bool NeighborCheck::build_ahead(RankPool *threadpool)
{
  if (horizon.reads(update->ntimestep)) return read_answer();
  if (!horizon.builds(update->ntimestep)) return false;
  if (sure_of == update->ntimestep) too_sure = !some_passed(threadpool);
  horizon.built(update->ntimestep, build_steps());
  foreseen = true;
  near = near_if_built;
  return true;
}

bool NeighborCheck::promised() const    // a build since an atom has passed then for certain
{
  return horizon.ahead() == 0 && horizon.builds(update->ntimestep);
}

/* ---------------------------------------------------------------------- */

CheckHorizon::BuildSteps NeighborCheck::build_steps() const
{
  return {update->ntimestep - neighbor->ago, neighbor->delay, neighbor->every};
}

/* ----------------------------------------------------------------------
   a build that is due then is a dangerous one, as Neighbor says
------------------------------------------------------------------------- */

bool NeighborCheck::in_first_step() const
{
  return neighbor->ago == std::max(neighbor->every, neighbor->delay);
}

/* ---------------------------------------------------------------------- */

double NeighborCheck::moved() const
{
  return box_moves(domain) ? BoxCorners(domain).moved_since(corners_hold) : 0.0;
}

/* ----------------------------------------------------------------------
   distance that atoms may move: half the skin, less what corners have moved
------------------------------------------------------------------------- */

double NeighborCheck::limit() const
{
  return std::max(0.0, 0.5 * (neighbor->skin - moved()));
}

double NeighborCheck::trigger() const    // its square, with the bits that Neighbor has
{
  return box_moves(domain) ? limit() * limit() : 0.25 * neighbor->skin * neighbor->skin;
}

/* ---------------------------------------------------------------------- */

int NeighborCheck::natoms_checked() const
{
  return neighbor->includegroup ? atom->nfirst : atom->nlocal;
}

/* ----------------------------------------------------------------------
   of this rank, as Neighbor::check_distance().  NaN is in no comparison, there
   as well
------------------------------------------------------------------------- */

bool NeighborCheck::some_passed(RankPool *threadpool) const
{
  return largest_move(threadpool) > trigger();
}

/* ---------------------------------------------------------------------- */

double NeighborCheck::largest_move(RankPool *threadpool) const    // its square
{
  const int natoms = natoms_checked(), nparts = parts_for_atoms(threadpool, natoms);
  std::vector<double> largest(nparts, 0.0);
  for_parts_of_atoms(threadpool, nparts, natoms, [&](int part, int first, int last) {
    largest[part] = largest_square(neighbor->get_xhold()[first], atom->x[first], last - first);
  });
  return *std::max_element(largest.begin(), largest.end());
}

/* ---------------------------------------------------------------------- */

NeighborCheck::Lists NeighborCheck::ask_for_this_step(RankPool *threadpool, bool may_go_on)
{
  const double largest = largest_move(threadpool), way = std::sqrt(largest);
  const double part = std::min(MOST_PART, way / limit());    // not a number: MOST_PART
  std::array<int, 3> numbers{largest > trigger() ? -1 : 0, is_far(way, 0.0) ? -1 : 0,
                             -static_cast<int>(part / PART_UNIT)};
  counts.nreductions++;
  if (by_overlap && may_go_on && !forecast.is_likely(neighbor->ago)) {
    question.start(lmp, numbers.data(), numbers.size());
    counts.nstarted++;
    return Lists::UNKNOWN;
  }
  if (comm->nprocs > 1)
    MPI_Allreduce(MPI_IN_PLACE, numbers.data(), numbers.size(), MPI_INT, MPI_MIN, world);
  return read_this_step(numbers.data()) ? Lists::OLD : Lists::GOOD;
}

/* ----------------------------------------------------------------------
   lists that are old were taken for good ones until now
------------------------------------------------------------------------- */

bool NeighborCheck::are_old()
{
  const bool build = read_this_step(question.read().data());
  if (build) {
    counts.nin_vain++;
    note_build();
  }
  return build;
}

/* ---------------------------------------------------------------------- */

bool NeighborCheck::read_this_step(const int *smallest)
{
  const bool build = smallest[0] < 0, some_far = smallest[1] < 0;
  forecast.note(neighbor->ago, -smallest[2] * PART_UNIT);
  if (build && in_first_step()) neighbor->ndanger++;
  near = build && !some_far;
  return build;
}

/* ----------------------------------------------------------------------
   the same for this step and those up to the next time
------------------------------------------------------------------------- */

bool NeighborCheck::ask(RankPool *threadpool)
{
  question.drop();
  asked_at = update->ntimestep;
  const CheckHorizon::Findings found = findings(threadpool, 0);
  sure_of = update->ntimestep + found.surely;
  CheckHorizon::Numbers numbers = horizon.numbers_of(found);
  MPI_Allreduce(MPI_IN_PLACE, numbers.data(), numbers.size(), MPI_INT, MPI_MIN, world);
  const CheckHorizon::Verdict verdict = horizon.decide(update->ntimestep, numbers, build_steps());
  counts.nreductions++;
  dt_asked = update->dt;
  passed_at = -1;
  if (verdict.build && !verdict.late && in_first_step()) neighbor->ndanger++;
  tell(verdict);
  return verdict.build;
}

/* ----------------------------------------------------------------------
   whether an atom of this rank can be beyond the limit in the next step, by its
   force, as far as factors of velocities and corners of the box stay within what
   sum_has_answered() looks at.  An atom is carried by no more than twice what
   corners move; the limit comes closer by half of that
------------------------------------------------------------------------- */

bool NeighborCheck::may_pass_next()
{
  corners_then = BoxCorners(domain);
  dt_asked = update->dt;
  StepSums &sums = rank_pool->sums();
  sums.forget_factors();
  const StepSums::NextMove next = *sums.next_move();
  const double *const *const x = atom->x, *const *const v = atom->v, *const *const f = atom->f;
  const double(*const hold)[3] = reinterpret_cast<const double(*)[3]>(neighbor->get_xhold()[0]);
  const auto largest = collect_over_atoms<2>(
      rank_pool, natoms_checked(),
      [&](int first, int last) {
        std::array<double, 2> some{};    // squares of a distance and of a speed
        for (int i = first; i < last; i++) {
          const double per_mass =
              next.dtf / (atom->rmass ? atom->rmass[i] : atom->mass[atom->type[i]]);
          double now = 0.0, then = 0.0, speed = 0.0;
          for (int k = 0; k < 3; k++) {
            const double from = x[i][k] - hold[i][k];
            const double to = from + next.dtv * (v[i][k] + per_mass * f[i][k]);
            now += from * from;
            then += to * to;
            speed += v[i][k] * v[i][k];
          }
          some = {std::max({some[0], now, then}), std::max(some[1], speed)};
        }
        return some;
      },
      [](auto &all, const auto &some) {
        all = {std::max(all[0], some[0]), std::max(all[1], some[1])};
      });
  const double farther = std::expm1(MOST_FACTOR) * next.dtv * std::sqrt(largest[1]),
               closer = domain->box_change ? 2.5 * MOST_CLOSER * neighbor->skin : 0.0;
  return !(std::sqrt(largest[0]) + farther + closer <= (1.0 - 1e-9) * limit());
}

void NeighborCheck::note_next(double npass)
{
  none_passes_in = npass > 0.0 ? -1 : update->ntimestep + 1;
}

bool NeighborCheck::sum_has_answered() const
{
  return none_passes_in == update->ntimestep && update->dt == dt_asked &&
      rank_pool->sums().largest_change() <= MOST_FACTOR &&
      (!domain->box_change ||
       BoxCorners(domain).moved_since(corners_then) <= MOST_CLOSER * neighbor->skin);
}

/* ----------------------------------------------------------------------
   a sum over ranks that is made in this step also counts those that might have to
   build lists in the next; if it is 0, ranks need not ask then
------------------------------------------------------------------------- */

void NeighborCheck::ask_with_sums(RankPool *threadpool)
{
  if (!asks_in(1) || asked_at == update->ntimestep) return;
  const CheckHorizon::Findings found = findings(threadpool, 0);
  pass_soon = found.passed || !horizon.is_safe_for_a_step(found);
  soon_after = update->ntimestep;
  threadpool->sums().take_along(ranks_that_pass);
}

void NeighborCheck::put_off(double npass)
{
  if (npass > 0.0 || soon_after != update->ntimestep) return;
  horizon.put_off(update->ntimestep);
  dt_asked = update->dt;
}

/* ----------------------------------------------------------------------
   if an atom is beyond the limit, lists are built when the answer is read
------------------------------------------------------------------------- */

void NeighborCheck::start_question(RankPool *threadpool)
{
  CheckHorizon::Findings found = findings(threadpool, horizon.most_to_build());
  if (passed_at >= 0)
    found.late = std::max(found.late, static_cast<int>(horizon.next() - passed_at));
  tells_passed = passed_at >= 0;
  const CheckHorizon::Numbers numbers = horizon.numbers_of(found, true);
  question.start(lmp, numbers.data(), numbers.size());
  counts.nreductions++;
  counts.nstarted++;
  dt_asked = update->dt;
}

/* ---------------------------------------------------------------------- */

bool NeighborCheck::read_answer()
{
  const std::vector<int> &answer = question.read();
  CheckHorizon::Numbers numbers{};
  std::copy(answer.begin(), answer.end(), numbers.begin());
  const CheckHorizon::Verdict verdict =
      horizon.decide_started(update->ntimestep, numbers, build_steps());
  if (tells_passed) passed_at = -1;
  tells_passed = false;
  tell(verdict);
  return verdict.build;
}

/* ----------------------------------------------------------------------
   all ranks know now what each of them had to tell
------------------------------------------------------------------------- */

void NeighborCheck::tell(const CheckHorizon::Verdict &verdict)
{
  late_before = 0;
  at_first = too_sure = false;
  if (verdict.late) {
    neighbor->ndanger++;
    counts.nlate++;
    tell_late(verdict.late);
  }
  if (verdict.at_first) neighbor->ndanger++;
  near_if_built = !verdict.far;
  foreseen = verdict.build;
  near = foreseen && near_if_built;
}

/* ---------------------------------------------------------------------- */

int NeighborCheck::late() const
{
  const bigint now = passed_at < 0 ? 0 : update->ntimestep - passed_at;
  return std::max(late_before, static_cast<int>(now));
}

/* ----------------------------------------------------------------------
   the corners bring the limit closer by half of what they move.  Lists are built
   in one of so many steps ahead, if they are
------------------------------------------------------------------------- */

CheckHorizon::Findings NeighborCheck::findings(RankPool *threadpool, int ahead)
{
  const double *const earlier = x_before(1);
  const bool is_new = neighbor->ago == 1;
  const double closer = earlier && box_moves(domain) ? 0.5 *
          BoxCorners(domain).moved_since(is_new ? corners_hold
                                                : kept(update->ntimestep - 1).corners)
                                                     : 0.0;
  const int natoms = natoms_checked(), nparts = parts_for_atoms(threadpool, natoms);
  const AtomTravel nothing(horizon.most());
  std::vector<AtomTravel> of_parts(nparts, nothing);
  const double distance = limit();
  for_parts_of_atoms(threadpool, nparts, natoms, [&](int part, int first, int last) {
    const double *const hold = neighbor->get_xhold()[first], *const now = atom->x[first];
    add_travel({hold, earlier ? earlier + 3 * static_cast<std::size_t>(first) : now, now},
               last - first, distance, closer, of_parts[part]);
  });
  AtomTravel all = nothing;
  for (const AtomTravel &part : of_parts) all.add(part);

  CheckHorizon::Findings found;
  found.passed = all.largest > trigger() || passed_at >= 0;
  found.late = late();
  found.at_first = at_first;
  found.too_sure = too_sure;
  if (!natoms || earlier) {
    found.freely = all.freely;
    const double gain = foresee(threadpool, closer, found);
    const double fastest = std::sqrt(all.fastest) + horizon.to_build(found) * gain;
    found.if_built = 0.5 * neighbor->skin / (fastest + closer);
  }
  const double farther = std::max(ahead, horizon.to_build(found)) * horizon.margin();
  found.far = is_far(std::sqrt(all.largest) + farther * std::sqrt(all.fastest), farther * closer);
  return found;
}

/* ----------------------------------------------------------------------
   by the paths of atoms, if positions of the last steps are there.  The largest
   gain of speed in a step is returned
------------------------------------------------------------------------- */

double NeighborCheck::foresee(RankPool *threadpool, double closer, CheckHorizon::Findings &found)
{
  std::array<const double *, NBEFORE + 1> at{};
  for (int k = 1; k <= NBEFORE; k++) {
    at[k] = x_before(k);
    if (!at[k]) return 0.0;
  }
  const int natoms = natoms_checked(), nparts = parts_for_atoms(threadpool, natoms);
  std::vector<PathForecast> of_parts(nparts);
  for_parts_of_atoms(threadpool, nparts, natoms, [&](int part, int first, int last) {
    const std::size_t from = 3 * static_cast<std::size_t>(first);
    add_forecast(
        {neighbor->get_xhold()[first], at[3] + from, at[2] + from, at[1] + from, atom->x[first]},
        last - first, of_parts[part]);
  });
  PathForecast all;
  for (const PathForecast &part : of_parts) all.add(part);
  horizon.foresee(all, limit(), closer, update->ntimestep, build_steps(), found);
  if (box_moves(domain)) found.surely = PathForecast::NEVER;    // the limit may move away
  return std::sqrt(all.gain);
}

/* ----------------------------------------------------------------------
   distances count from the sub-boxes of atoms if exchange() came before the build
------------------------------------------------------------------------- */

bool NeighborCheck::is_far(double largest, double closer) const
{
  if (held.is_over(neighbor)) return true;
  const GhostExchange *const ghosts = GhostExchange::find(comm);
  if (!ghosts || neighbor->includegroup) return true;
  if (domain->nonperiodic == SHRINK_WRAPPED || (domain->box_change && domain->triclinic))
    return true;
  const double edges = domain->box_change ? BoxCorners(domain).moved_since(corners_hold) : 0.0;
  return !(largest + 2.0 * (edges + 2.0 * closer) <= NEAR * ghosts->reach_of_links());
}

/* ----------------------------------------------------------------------
   positions some steps ago, or nullptr: there are none of these atoms
------------------------------------------------------------------------- */

const double *NeighborCheck::x_before(int nsteps) const
{
  if (natoms_checked() == 0 || held.is_over(neighbor) || neighbor->ago < nsteps) return nullptr;
  if (neighbor->ago == nsteps) return neighbor->get_xhold()[0];
  const bigint step = update->ntimestep - nsteps;
  if (step < 0 || kept(step).step != step) return nullptr;
  const bool same = kept(step).x.size() == 3 * static_cast<std::size_t>(natoms_checked());
  return same ? kept(step).x.data() : nullptr;
}

/* ---------------------------------------------------------------------- */

bool NeighborCheck::may_build(int ago) const
{
  return !neighbor->build_once && ago >= neighbor->delay && ago % neighbor->every == 0;
}

bool NeighborCheck::asks_in(int nsteps) const
{
  return uses_forecasts() && horizon.asks(update->ntimestep + nsteps) &&
      may_build(neighbor->ago + nsteps);
}

/* ----------------------------------------------------------------------
   for the next steps, if ranks ask in one of them.  An answer may say that the
   next question starts at once
------------------------------------------------------------------------- */

void NeighborCheck::keep_positions(RankPool *threadpool)
{
  bool wanted = false;
  for (int k = 1; k <= NBEFORE; k++) {
    const bigint step = update->ntimestep + k;
    wanted = wanted || asks_in(k) || horizon.starts(step) || horizon.reads(step) ||
        (threadpool->sums().awaits() && asks_in(k + 1));
  }
  if (!uses_forecasts() || !wanted) return;
  Before &now = before[update->ntimestep % NBEFORE];
  const int natoms = natoms_checked();
  now.x.resize(3 * static_cast<std::size_t>(natoms));
  for_atoms(threadpool, natoms, [&](int first, int last) {
    std::copy_n(atom->x[first], 3 * (last - first), &now.x[3 * static_cast<std::size_t>(first)]);
  });
  if (box_moves(domain)) now.corners = BoxCorners(domain);
  now.step = update->ntimestep;
}

/* ---------------------------------------------------------------------- */

void NeighborCheck::tell_late(int nsteps)
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

std::string NeighborCheck::end_run()
{
  const Counts done = counts;
  counts = Counts();
  if (by_overlap) return end_overlap(done);
  if (!by_horizon || done.nchecks == 0) return "";
  const int nsteps = passed_at < 0 ? late_before : std::max(late_before, late() + 1);
  std::array<int, 2> untold{nsteps, at_first};
  MPI_Allreduce(MPI_IN_PLACE, untold.data(), 2, MPI_INT, MPI_MAX, world);
  const auto [most, some_at_first] = untold;
  passed_at = -1;
  late_before = 0;
  at_first = false;
  if (some_at_first) neighbor->ndanger++;
  if (most) {
    neighbor->ndanger++;
    horizon.widen();
    tell_late(most);
  }
  const std::string ahead = horizon.ahead() ? fmt::format(" ({} started ahead)", done.nstarted)
                                            : "";
  return fmt::format("TOFU threadpool: {} neighbor checks by {} reductions{}, {} too late\n",
                     done.nchecks, done.nreductions, ahead, done.nlate + (most > 0));
}

/* ---------------------------------------------------------------------- */

std::string NeighborCheck::end_overlap(const Counts &done) const
{
  if (done.nchecks == 0) return "";
  std::string text = fmt::format("TOFU threadpool: {} neighbor checks by {} reductions, {} of them "
                                 "beside forces of pairs, {} of which were computed again",
                                 done.nchecks, done.nreductions, done.nstarted, done.nin_vain);
  if (done.nby_sums) text += fmt::format("; {} by other sums", done.nby_sums);
  return text + "\n";
}
