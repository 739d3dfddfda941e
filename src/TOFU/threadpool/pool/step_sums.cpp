/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

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
  if (!stage.carried) stage.right.clear();
  stage.carried = false;
  stage.run = sums.run;
  stage.step = sums.update->ntimestep;
  stage.asked.clear();
  sums.stage = &stage;
}

/* ----------------------------------------------------------------------
   an output of something else does not say what the next one wants
------------------------------------------------------------------------- */

StepSums::Scope::~Scope()
{
  if (!stage.asked.empty()) stage.expected = stage.asked;
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
  if (!has(stage->asked, &sum)) stage->asked.push_back(&sum);
  if (has(stage->right, &sum)) return sum.total.data();

  std::vector<RankSum *> together{&sum};
  for (RankSum *other : stage->expected)
    if (other != &sum && !has(stage->right, other)) together.push_back(other);
  reduce(together);
  stage->right.insert(stage->right.end(), together.begin(), together.end());
  return sum.total.data();
}

/* ---------------------------------------------------------------------- */

void StepSums::reduce(std::vector<RankSum *> together)
{
  for (RankSum *sum : left)
    if (!has(together, sum)) together.push_back(sum);
  together.insert(together.end(), companions.begin(), companions.end());
  left.clear();
  companions.clear();
  nreductions++;
  RankSum::reduce(together, lmp);
}

/* ---------------------------------------------------------------------- */

void StepSums::scaled(int group, double factor)
{
  if (!stage) return;
  drop([group](const RankSum *sum) { return sum->of_velocities() && sum->group != group; });
  for (RankSum *sum : stage->right)
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
  std::vector<RankSum *> &right = stage->right;
  right.erase(std::remove_if(right.begin(), right.end(), wrong), right.end());
}

/* ---------------------------------------------------------------------- */

void StepSums::begin_last_requests(std::optional<NextMove> following)
{
  next = following;
  if (next && with_last) take_along(*with_last);
  with_last = nullptr;
}

/* ----------------------------------------------------------------------
   not sums over atoms that may be others in each step
------------------------------------------------------------------------- */

void StepSums::carry(const Stage &from, Stage &to)
{
  if (!in_steps || from.run != run || from.step + 1 != update->ntimestep) return;
  to.right.clear();
  for (RankSum *sum : from.right)
    if (!sum->of_velocities() || sum->group >= 0) to.right.push_back(sum);
  to.carried = true;
}

/* ---------------------------------------------------------------------- */

void StepSums::await_requests(bool nobody)
{
  nobody_looks = nobody || (awaits() && nobody_looks);    // several fixes may ask
  awaited = update->ntimestep;
}

/* ----------------------------------------------------------------------
   others may look at what is left until then
------------------------------------------------------------------------- */

void StepSums::await_requests_in_next_step()
{
  nobody_looks = false;
  awaited = update->ntimestep + 1;
}

/* ---------------------------------------------------------------------- */

bool StepSums::awaits() const
{
  return awaited == update->ntimestep && !update->setupflag;
}

/* ---------------------------------------------------------------------- */

bool StepSums::leave(RankSum &sum)
{
  if (!awaits() || !nobody_looks) return false;
  if (!has(left, &sum)) left.push_back(&sum);
  return true;
}

/* ---------------------------------------------------------------------- */

void StepSums::take_along(RankSum &sum)
{
  if (!has(companions, &sum)) companions.push_back(&sum);
}

void StepSums::leave_behind(const RankSum &sum)
{
  companions.erase(std::remove(companions.begin(), companions.end(), &sum), companions.end());
}

/* ---------------------------------------------------------------------- */

void StepSums::end_requests()
{
  awaited = -1;
  if (!left.empty()) reduce({});
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
  awaited = -1;
  with_last = nullptr;
  left.clear();
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
