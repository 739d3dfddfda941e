// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "step_sums.h"

#include "update.h"

#include <algorithm>

using namespace LAMMPS_NS;

namespace {

bool has(const std::vector<RankSum *> &sums, const RankSum *sum)
{
  return std::find(sums.begin(), sums.end(), sum) != sums.end();
}

}    // namespace

/* ---------------------------------------------------------------------- */

StepSums::Scope::Scope(StepSums &all, Stage &now) : sums(all), stage(now)
{
  if (!stage.carried) stage.valid.clear();
  stage.carried = false;
  stage.run = sums.run;
  stage.step = sums.update->ntimestep;
  stage.requested.clear();
  sums.stage = &stage;
}

/* ----------------------------------------------------------------------
   an output of something else does not say what the next one wants
------------------------------------------------------------------------- */

StepSums::Scope::~Scope()
{
  if (!stage.requested.empty()) stage.expected = stage.requested;
  sums.stage = nullptr;
}

/* ---------------------------------------------------------------------- */

const double *StepSums::of(RankSum &sum)
{
  nrequests++;
  if (!stage) {
    reduce({&sum});
    return sum.total.data();
  }
  if (!has(stage->requested, &sum)) stage->requested.push_back(&sum);
  if (has(stage->valid, &sum)) return sum.total.data();

  std::vector<RankSum *> together{&sum};
  for (RankSum *other : stage->expected)
    if (other != &sum && !has(stage->valid, other)) together.push_back(other);
  reduce(together);
  stage->valid.insert(stage->valid.end(), together.begin(), together.end());
  return sum.total.data();
}

/* ---------------------------------------------------------------------- */

void StepSums::reduce(std::vector<RankSum *> together)
{
  for (RankSum *sum : deferred)
    if (!has(together, sum)) together.push_back(sum);
  together.insert(together.end(), companions.begin(), companions.end());
  deferred.clear();
  companions.clear();
  nreductions++;
  RankSum::reduce(together, lmp);
}

/* ---------------------------------------------------------------------- */

void StepSums::scaled(int group, double factor)
{
  if (!stage) return;
  drop([group](const RankSum *sum) { return sum->of_velocities() && sum->group != group; });
  for (RankSum *sum : stage->valid)
    if (sum->of_velocities())
      for (double &number : sum->total) number *= factor * factor;
}

/* ---------------------------------------------------------------------- */

void StepSums::moved()
{
  if (stage) drop([](const RankSum *sum) { return sum->of_velocities(); });
}

/* ---------------------------------------------------------------------- */

template <class Wrong> void StepSums::drop(const Wrong &wrong)
{
  std::vector<RankSum *> &valid = stage->valid;
  valid.erase(std::remove_if(valid.begin(), valid.end(), wrong), valid.end());
}

/* ---------------------------------------------------------------------- */

void StepSums::begin_last_requests(std::optional<NextMove> following)
{
  next = following;
  if (next && with_last) join_next_request(*with_last);
  with_last = nullptr;
}

/* ----------------------------------------------------------------------
   not sums over atoms that may be others in each step
------------------------------------------------------------------------- */

void StepSums::carry(const Stage &from, Stage &to)
{
  if (!in_steps || from.run != run || from.step + 1 != update->ntimestep) return;
  to.valid.clear();
  for (RankSum *sum : from.valid)
    if (!sum->of_velocities() || sum->group >= 0) to.valid.push_back(sum);
  to.carried = true;
}

/* ---------------------------------------------------------------------- */

void StepSums::expect_requests(bool unread)
{
  unread_before = unread || (expects_requests() && unread_before);    // several fixes may ask
  expected_in = update->ntimestep;
}

/* ---------------------------------------------------------------------- */

bool StepSums::expects_requests() const
{
  return expected_in == update->ntimestep && !update->setupflag;
}

/* ---------------------------------------------------------------------- */

bool StepSums::defer(RankSum &sum)
{
  if (!expects_requests() || !unread_before) return false;
  if (!has(deferred, &sum)) deferred.push_back(&sum);
  return true;
}

/* ---------------------------------------------------------------------- */

void StepSums::join_next_request(RankSum &sum)
{
  if (!has(companions, &sum)) companions.push_back(&sum);
}

void StepSums::withdraw(const RankSum &sum)
{
  companions.erase(std::remove(companions.begin(), companions.end(), &sum), companions.end());
}

/* ---------------------------------------------------------------------- */

void StepSums::end_requests()
{
  expected_in = -1;
  if (!deferred.empty()) reduce({});
  companions.clear();
}

/* ----------------------------------------------------------------------
   commands between two runs may have changed anything
------------------------------------------------------------------------- */

void StepSums::begin_steps()
{
  forget();
  in_steps = true;
}

/* ---------------------------------------------------------------------- */

void StepSums::forget()
{
  run++;
  in_steps = false;
  stage = nullptr;
  expected_in = -1;
  with_last = nullptr;
  deferred.clear();
  companions.clear();
}

/* ---------------------------------------------------------------------- */

std::string StepSums::end_run()
{
  const bigint requests = nrequests, reductions = nreductions;
  nrequests = nreductions = 0;
  if (requests == 0) return "";
  return fmt::format("TOFU threadpool: {} temperatures, pressures and energies by {} reductions\n",
                     requests, reductions);
}
