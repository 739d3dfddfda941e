// SPDX-License-Identifier: GPL-2.0-only
//
// Ranks that ask each other seldom build lists at the steps at which they would if they asked in
// each step.

#include "unit/testing.h"

#include "base/check_horizon.h"

using namespace TOFU_NS;

namespace {

constexpr double LIMIT = 0.15;

/** Ranks with one atom each, which moves along a line; lists are built when one is beyond LIMIT.
    By paths: ranks look at the displacements of the last three steps. */
class Ranks {
 public:
  explicit Ranks(int nranks, bool by_paths = false) :
      by_paths(by_paths), x(nranks), hold(nranks), before(nranks), before2(nranks), before3(nranks),
      passed_at(nranks, -1), sure_of(nranks, -1), predicted_too_early(nranks, 0)
  {
  }

  /** One step, in which atoms move by some distances.

      \return   whether the ranks build lists */
  bool step(const std::vector<double> &by)
  {
    now++;
    before3 = before2;
    before2 = before;
    before = x;
    for (std::size_t i = 0; i < x.size(); i++) x[i] += by[i];
    wanted =
        std::any_of(x.begin(), x.end(), [&](const double &at) { return beyond(&at - x.data()); });
    if (horizon.is_check_step(now)) return ask();
    if (horizon.is_build_step(now)) return build_as_foreseen();
    for (std::size_t i = 0; i < x.size(); i++)
      if (passed_at[i] < 0 && beyond(i)) passed_at[i] = now;
    return false;
  }

  CheckHorizon horizon;
  bool wanted = false;    // ranks that ask in each step would build in this one
  int nasked = 0, nlate = 0, ntoo_sure = 0;
  std::int64_t now = 0;

 private:
  bool by_paths;
  std::vector<double> x, hold, before, before2, before3;
  std::vector<std::int64_t> passed_at, sure_of;
  std::vector<char> predicted_too_early;
  std::int64_t last_build = 0;

  bool beyond(std::size_t i) const { return std::abs(x[i] - hold[i]) > LIMIT; }
  CheckHorizon::BuildSteps may() const { return {last_build, 0, 1}; }

  bool build_as_foreseen()
  {
    for (std::size_t i = 0; i < x.size(); i++)
      predicted_too_early[i] = sure_of[i] == now && !beyond(i);
    horizon.built(now, may());
    last_build = now;
    hold = x;
    return true;
  }

  PathForecast forecast(std::size_t i) const
  {
    PathForecast path;
    const double last = x[i] - before[i], gain = last - (before[i] - before2[i]);
    path.change = std::pow(gain - (before[i] - 2.0 * before2[i] + before3[i]), 2);
    for (int k = 1; k <= PathForecast::STEPS; k++)
      path.farthest[k - 1] = std::pow(x[i] - hold[i] + k * last + 0.5 * k * (k + 1) * gain, 2);
    return path;
  }

  bool ask()
  {
    nasked++;
    CheckHorizon::Numbers smallest;
    smallest.fill(std::numeric_limits<int>::max());
    for (std::size_t i = 0; i < x.size(); i++) {
      const double last = std::abs(x[i] - before[i]);
      CheckHorizon::Findings found;
      found.passed = beyond(i) || passed_at[i] >= 0;
      found.late = passed_at[i] < 0 ? 0 : static_cast<int>(now - passed_at[i]);
      found.steps_at_current_speed = (LIMIT - std::abs(x[i] - hold[i])) / last;
      found.steps_if_built = LIMIT / last;
      found.predicted_too_early = predicted_too_early[i];
      if (by_paths && now >= last_build + 3)
        horizon.predict(forecast(i), LIMIT, 0.0, now, may(), found);
      sure_of[i] = now + found.predicted_build_steps;
      ntoo_sure += predicted_too_early[i];
      predicted_too_early[i] = 0;
      const auto numbers = horizon.numbers_of(found);
      for (std::size_t k = 0; k < numbers.size(); k++)
        smallest[k] = std::min(smallest[k], numbers[k]);
    }
    const auto verdict = horizon.decide(now, smallest, may());
    nlate += verdict.late > 0;
    passed_at.assign(x.size(), -1);
    if (!verdict.build) return false;
    hold = x;
    last_build = now;
    return true;
  }
};

constexpr int NRANKS = 100, NSTEPS = 20000;

/** Speeds of one atom of each rank, which random kicks change. */
class KickedAtoms {
 public:
  explicit KickedAtoms(double speed_in) : speed(speed_in)
  {
    for (double &each : by) each = speed * kick(random);
  }

  const std::vector<double> &step()
  {
    for (double &each : by) each = 0.995 * each + 0.1 * speed * kick(random);
    return by;
  }

 private:
  const double speed;
  std::mt19937 random{4711};
  std::normal_distribution<double> kick{0.0, 1.0};
  std::vector<double> by = std::vector<double>(NRANKS);
};

/** Number of builds; each has to be at a step at which ranks that ask in each step build.

    \param move   step from 1 on -> displacements */
template <class Move> int number_of_builds(Ranks &ranks, const Move &move)
{
  int nbuilds = 0;
  for (int n = 1; n <= NSTEPS; n++) {
    const bool build = ranks.step(move(n));
    EXPECT_EQ(build, ranks.wanted) << "step " << n;
    if (build != ranks.wanted) break;
    nbuilds += build;
  }
  return nbuilds;
}

TEST(CheckHorizon, BuildsAreAtTheSameStepsWithAThirdOfTheReductions)
{
  Ranks ranks(NRANKS);
  KickedAtoms atoms(0.005);
  EXPECT_GT(number_of_builds(ranks, [&](int) { return atoms.step(); }), 1000);
  EXPECT_LT(ranks.nasked, 0.4 * NSTEPS);
  EXPECT_EQ(ranks.nlate, 0);
}

TEST(CheckHorizon, RanksThatKnowPathsAskTwiceForABuildAtMost)
{
  std::mt19937 random(4711);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  Ranks ranks(NRANKS, true);
  struct Wave {
    double size, steps, phase;
  };
  std::vector<Wave> waves(3 * NRANKS);    // three for each atom
  for (Wave &wave : waves)
    wave = {0.03 + 0.07 * uniform(random), 60.0 + 100.0 * uniform(random), 6.3 * uniform(random)};
  const auto place = [&](int i, int step) {
    double sum = 0.0;
    for (int k = 0; k < 3; k++)
      sum += waves[3 * i + k].size *
          std::sin(2.0 * M_PI * step / waves[3 * i + k].steps + waves[3 * i + k].phase);
    return sum;
  };
  std::vector<double> by(NRANKS);
  const int nbuilds = number_of_builds(ranks, [&](int n) {
    for (int i = 0; i < NRANKS; i++) by[i] = place(i, n) - place(i, n - 1);
    return by;
  });
  EXPECT_GT(nbuilds, 1000);
  EXPECT_LT(ranks.nasked, 2.0 * nbuilds);
  EXPECT_EQ(ranks.nlate, 0);
  EXPECT_EQ(ranks.ntoo_sure, 0);
}

TEST(CheckHorizon, PathsWithKicksAreNotTrustedMoreThanKicksAllow)
{
  Ranks ranks(NRANKS, true);
  KickedAtoms atoms(0.005);
  number_of_builds(ranks, [&](int) { return atoms.step(); });
  EXPECT_LT(ranks.nasked, 0.35 * NSTEPS);
  EXPECT_EQ(ranks.nlate, 0);
}

TEST(CheckHorizon, AnAtomThatStopsBeforeTheLimitIsToldAndPathsAreTrustedLess)
{
  Ranks ranks(3, true);
  int nsteps = 0;
  while (!ranks.horizon.is_build_step(ranks.now + 1) && nsteps++ < 100)
    EXPECT_FALSE(ranks.step({0.01, 0.001, 0.0}));
  EXPECT_LT(nsteps, 100);
  EXPECT_TRUE(ranks.step({0.0, 0.001, 0.0}));    // the others do not know
  EXPECT_FALSE(ranks.wanted);
  const double before = ranks.horizon.prediction_margin();
  for (int n = 0; n < 30; n++) ranks.step({0.0, 0.001, 0.0});
  EXPECT_EQ(ranks.ntoo_sure, 1);
  EXPECT_DOUBLE_EQ(ranks.horizon.prediction_margin(), CheckHorizon::MORE_MARGIN * before);
  EXPECT_EQ(ranks.nlate, 0);
}

TEST(CheckHorizon, APathLeadsToABuildInTheFirstStepAllowedOnly)
{
  CheckHorizon horizon;
  PathForecast path;
  for (int k = 1; k <= PathForecast::STEPS; k++) path.farthest[k - 1] = std::pow(0.05 * k, 2);
  const auto found = [&](const CheckHorizon::BuildSteps &may, double closer = 0.0) {
    CheckHorizon::Findings findings;
    horizon.predict(path, LIMIT + 0.01, closer, 100, may, findings);
    return findings;
  };
  EXPECT_EQ(found({90, 0, 1}).predicted_safe_steps, 3);
  EXPECT_EQ(found({90, 0, 1}).predicted_build_steps, 4);
  EXPECT_EQ(found({90, 16, 1}).predicted_build_steps, 6);
  EXPECT_EQ(found({90, 0, 5}).predicted_build_steps, 5);
  EXPECT_EQ(found({90, 20, 1}).predicted_build_steps, PathForecast::NEVER);
  EXPECT_EQ(found({90, 0, 1}, 0.01).predicted_safe_steps, 2);    // corners of the box move
  EXPECT_EQ(found({90, 0, 1}, 0.01).predicted_build_steps, PathForecast::NEVER);
  path.change = std::pow(0.001, 2);    // 2 x 4 times 0.001 in two steps, 2 x 10 times in three
  EXPECT_EQ(found({90, 0, 1}).predicted_safe_steps, 2);
  EXPECT_EQ(found({90, 0, 1}).predicted_build_steps, 5);
}

TEST(CheckHorizon, AtomsThatGainSpeedFromRestAreSeenInTime)
{
  std::vector<double> gains{1e-6, 1e-5, 1e-4, 1e-3};
  for (double gains_to_limit = 1.0; gains_to_limit < 60.0; gains_to_limit += 0.05)
    gains.push_back(LIMIT / gains_to_limit);
  for (const double gain : gains) {
    Ranks ranks(2);
    ranks.horizon.invalidate_speeds(0);
    for (int n = 1; n < 1000; n++) {
      const bool build = ranks.step({0.0, gain * (n - 0.5)});
      EXPECT_EQ(build, ranks.wanted) << gain << " at step " << n;
      if (build) break;
    }
    EXPECT_EQ(ranks.nlate, 0) << gain;
    EXPECT_LE(ranks.nasked, 24) << gain;
  }
}

/** An atom that begins to move at once is seen late, and the margin grows. */
template <class AnyRanks> void expect_late_build(AnyRanks &ranks)
{
  const double before = ranks.horizon.margin();
  for (int n = 0; n < 70; n++) EXPECT_FALSE(ranks.step({1e-5, 0.0, 0.0}));
  int nsteps = 0;
  while (!ranks.step({0.0, 0.02, 0.0}) && nsteps < 200) nsteps++;
  EXPECT_GT(nsteps, 8);    // the eighth is the first beyond
  EXPECT_LE(nsteps, CheckHorizon::LONGEST);
  EXPECT_DOUBLE_EQ(ranks.horizon.margin(), CheckHorizon::MORE_MARGIN * before);
  EXPECT_TRUE(ranks.horizon.is_check_step(ranks.now + 1));
}

TEST(CheckHorizon, AnAtomFasterThanForeseenIsCountedOnceAndTheMarginGrows)
{
  Ranks ranks(3);
  expect_late_build(ranks);
  EXPECT_EQ(ranks.nlate, 1);
}

TEST(CheckHorizon, NoMoreThanSomeStepsAreTrustedAndNoneOfNumbersThatAreNone)
{
  CheckHorizon horizon;
  horizon.invalidate_speeds(0);
  const auto numbers = [&](double steps_at_current_speed) {
    CheckHorizon::Findings found;
    found.steps_at_current_speed = found.steps_if_built = steps_at_current_speed;
    found.passed = true;    // lists are built at once then
    return horizon.numbers_of(found);
  };
  EXPECT_EQ(numbers(INFINITY)[3], CheckHorizon::LONGEST);
  EXPECT_EQ(numbers(NAN)[3], 0);
  EXPECT_EQ(numbers(-INFINITY)[3], 0);
  for (const auto &[steps_at_current_speed, nsteps] : {std::pair{1.19, 0},
                                                       {1.21, 1},
                                                       {2.59, 1},
                                                       {2.61, 2},
                                                       {4.19, 2},
                                                       {4.21, 3},
                                                       {5.99, 3},
                                                       {6.0, 4},
                                                       {149.9, 99}}) {
    EXPECT_EQ(numbers(steps_at_current_speed)[3], nsteps);
    EXPECT_EQ(numbers(steps_at_current_speed)[4], nsteps);
  }
  for (const int step : {1, 2, 3, 4, 5}) {
    horizon.decide(step, numbers(INFINITY));
    EXPECT_TRUE(horizon.is_check_step(step + 1)) << step;
  }
  horizon.decide(6, numbers(INFINITY));
  EXPECT_FALSE(horizon.is_check_step(6 + 4));
  EXPECT_TRUE(horizon.is_check_step(6 + 5));
  horizon.decide(1000, numbers(INFINITY));
  EXPECT_FALSE(horizon.is_check_step(1000 + CheckHorizon::LONGEST));
  EXPECT_TRUE(horizon.is_check_step(1001 + CheckHorizon::LONGEST));
  horizon.invalidate_speeds(1010);
  EXPECT_TRUE(horizon.is_check_step(1011));
}

/** Ranks with one atom each that look ahead.  Lists may be built in some steps only; in one of
    these an atom beyond LIMIT is late if lists are not built. */
class RanksAhead {
 public:
  RanksAhead(int nranks, int ahead, int delay, int every) :
      x(nranks), hold(nranks), before(nranks), passed_at(nranks, -1), may{0, delay, every}
  {
    horizon.set_lookahead(ahead);
  }

  /** One step, in which atoms move by some distances.

      \return   whether the ranks build lists */
  bool step(const std::vector<double> &by)
  {
    now++;
    before = x;
    for (std::size_t i = 0; i < x.size(); i++) x[i] += by[i];
    const bool allowed = may.from(now) == now;
    const bool build = allowed && look();
    if (build) {
      hold = x;
      may.last = now;
      passed_at.assign(x.size(), -1);
      nunneeded += !wanted;
    } else if (horizon.is_start_step(now)) {
      EXPECT_EQ(answer_at, -1) << "a second question at step " << now;
      question = numbers(true);
      answer_at = now + horizon.ahead();
    }
    if (allowed && wanted && !build) nlate++;
    return build;
  }

  CheckHorizon horizon;
  int nasked = 0, nread = 0, nlate = 0, nunneeded = 0;
  std::int64_t now = 0;

 private:
  std::vector<double> x, hold, before;
  std::vector<std::int64_t> passed_at;
  CheckHorizon::BuildSteps may;
  CheckHorizon::Numbers question{};
  std::int64_t answer_at = -1;
  bool wanted = false;

  bool beyond(std::size_t i) const { return std::abs(x[i] - hold[i]) > LIMIT; }

  bool look()
  {
    wanted = false;
    for (std::size_t i = 0; i < x.size(); i++) wanted = wanted || beyond(i);
    bool build = false;
    if (horizon.is_check_step(now)) {
      nasked++;
      build = horizon.decide(now, numbers(false), may).build;
    } else if (horizon.is_result_step(now)) {
      EXPECT_EQ(answer_at, now);
      nread++;
      answer_at = -1;
      build = horizon.decide_started(now, question, may).build;
    } else if (horizon.is_build_step(now)) {
      horizon.built(now, may);
      build = true;
    }
    for (std::size_t i = 0; i < x.size(); i++)
      if (!build && passed_at[i] < 0 && beyond(i)) passed_at[i] = now;
    return build;
  }

  CheckHorizon::Numbers numbers(bool started) const
  {
    CheckHorizon::Numbers smallest;
    smallest.fill(std::numeric_limits<int>::max());
    for (std::size_t i = 0; i < x.size(); i++) {
      const double last = std::abs(x[i] - before[i]);
      CheckHorizon::Findings found;
      found.passed = beyond(i) || passed_at[i] >= 0;
      if (passed_at[i] >= 0)
        found.late = static_cast<int>((started ? now + horizon.ahead() : now) - passed_at[i]);
      found.steps_at_current_speed = (LIMIT - std::abs(x[i] - hold[i])) / last;
      found.steps_if_built = LIMIT / last;
      const auto mine = horizon.numbers_of(found, started);
      for (std::size_t k = 0; k < mine.size(); k++) smallest[k] = std::min(smallest[k], mine[k]);
    }
    return smallest;
  }
};

TEST(CheckHorizon, RanksThatLookAheadBuildInTimeAndNotMuchOftener)
{
  struct Case {
    int ahead, delay, every;
    double oftener;    // builds, than of ranks that ask in each step
  };
  for (const Case &c : {Case{1, 0, 1, 1.03}, Case{2, 0, 1, 1.10}, Case{3, 0, 1, 1.20},
                        Case{1, 5, 1, 1.03}, Case{2, 6, 3, 1.10}, Case{5, 0, 2, 1.30}}) {
    int nbuilds[2];
    for (const int ahead : {0, c.ahead}) {
      RanksAhead ranks(NRANKS, ahead, c.delay, c.every);
      ranks.horizon.invalidate_speeds(0);
      KickedAtoms atoms(0.004);
      int &n = nbuilds[ahead > 0] = 0;
      for (int step = 0; step < NSTEPS; step++) n += ranks.step(atoms.step());
      SCOPED_TRACE(ahead);
      EXPECT_EQ(ranks.nlate, 0);
      if (ahead == 0) continue;
      EXPECT_LT(ranks.nread, 4 * n);
      EXPECT_LT(ranks.nasked, 0.01 * NSTEPS);
    }
    EXPECT_LE(nbuilds[1], c.oftener * nbuilds[0]) << c.ahead;
  }
}

TEST(CheckHorizon, AnAtomThatAnswersDoNotForetellIsToldWithTheNextQuestion)
{
  RanksAhead ranks(3, 1, 0, 1);
  expect_late_build(ranks);
  EXPECT_GT(ranks.nlate, 0);
}

TEST(CheckHorizon, StepsInWhichListsMayBeBuiltAreThoseOfNeighModify)
{
  for (int delay = 0; delay < 12; delay++)
    for (int every = 1; every < 6; every++) {
      const CheckHorizon::BuildSteps may{100, delay, every};
      for (int step = 90; step < 140; step++) {
        int first = std::max(step, 101);
        while (first - 100 < delay || (first - 100) % every != 0) first++;
        EXPECT_EQ(may.from(step), first) << delay << " " << every << " " << step;
      }
    }
}

TEST(CheckHorizon, OneRankIsEnoughForABuildAndForAnAtomThatIsFar)
{
  CheckHorizon horizon;
  CheckHorizon::Findings found;
  auto a = horizon.numbers_of(found);
  found.passed = found.far = true;
  const auto b = horizon.numbers_of(found);
  for (std::size_t k = 0; k < a.size(); k++) a[k] = std::min(a[k], b[k]);
  const auto verdict = horizon.decide(5, a);
  EXPECT_TRUE(verdict.build);
  EXPECT_TRUE(verdict.far);
  EXPECT_EQ(verdict.late, 0);
}

}    // namespace
