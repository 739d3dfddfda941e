// SPDX-License-Identifier: GPL-2.0-only

#include "unit/testing.h"

#include "balance/gain_trial.h"

using namespace TOFU_NS;

namespace {

/** An imitated run in which lists are built every so many steps. */
struct Imitation {
  GainTrial trial;
  double with, without;    // seconds of a step
  std::int64_t nevery;
  std::int64_t step = 0;
  double now = 100.0;
  std::int64_t nwith = 0, nwithout = 0;

  void go_on(double factor = 1.0)
  {
    const bool hands_over = trial.hands_over();
    step += nevery;
    now += (hands_over ? with : without) * factor * static_cast<double>(nevery);
    (hands_over ? nwith : nwithout) += nevery;
    trial.at_build(step, now);
  }

  void make_trial()
  {
    trial.start(step, now);
    while (!trial.complete()) go_on();
    trial.conclude(step, trial.times());
  }
};

}    // namespace

TEST(GainTrial, HandsOverAsLongAsNothingIsKnown)
{
  const GainTrial trial;
  EXPECT_TRUE(trial.hands_over());
  EXPECT_FALSE(trial.running());
  EXPECT_TRUE(trial.due(0));
}

TEST(GainTrial, TheFasterWayIsTaken)
{
  for (const std::int64_t nevery : {1, 7, 20, 45}) {
    Imitation slower{{}, 21e-6, 20e-6, nevery}, faster{{}, 15e-6, 20e-6, nevery};
    slower.make_trial();
    EXPECT_FALSE(slower.trial.hands_over());
    EXPECT_DOUBLE_EQ(std::round(slower.trial.times().with * 1e9), 21000.0);
    EXPECT_DOUBLE_EQ(std::round(slower.trial.times().without * 1e9), 20000.0);
    faster.make_trial();
    EXPECT_TRUE(faster.trial.hands_over());
  }
}

TEST(GainTrial, AGainThatIsHardlyOneIsNone)
{
  Imitation run{{}, 0.995, 1.0, 10};
  run.make_trial();
  EXPECT_FALSE(run.trial.hands_over());
}

TEST(GainTrial, BothWaysHaveAsManyWindows)
{
  Imitation run{{}, 1.0, 2.0, 20};
  run.make_trial();
  EXPECT_EQ(run.nwithout, 5 * 20);
  EXPECT_EQ(run.nwith, 6 * 20);    // the first is not counted
}

TEST(GainTrial, ShorterStepsOfTheFirstWindowDoNotMatter)
{
  Imitation run{{}, 15.0, 20.0, 20};
  run.trial.start(run.step, run.now);
  for (int window = 0; !run.trial.complete(); window++) run.go_on(window == 0 ? 0.1 : 1.0);
  EXPECT_DOUBLE_EQ(run.trial.times().with, 15.0);
}

TEST(GainTrial, LongerStepsOfOneWindowDoNotMatter)
{
  for (int disturbed = 0; disturbed < GainTrial::NWINDOWS; disturbed++) {
    Imitation run{{}, 15.0, 20.0, 20};
    run.trial.start(run.step, run.now);
    for (int window = 0; !run.trial.complete(); window++)
      run.go_on(window == disturbed ? 50.0 : 1.0);
    EXPECT_DOUBLE_EQ(run.trial.times().with, 15.0);
    EXPECT_DOUBLE_EQ(run.trial.times().without, 20.0);
  }
}

TEST(GainTrial, AResultHoldsForSomeTimeAndATrialThatIsStoppedChangesNothing)
{
  Imitation run{{}, 2.0, 1.0, 20};
  run.make_trial();
  EXPECT_FALSE(run.trial.due(run.step + GainTrial::VALID - 1));
  EXPECT_TRUE(run.trial.due(run.step + GainTrial::VALID));
  EXPECT_FALSE(run.trial.hands_over());
  run.trial.start(run.step, run.now);
  EXPECT_TRUE(run.trial.hands_over());
  run.trial.stop();
  EXPECT_FALSE(run.trial.hands_over());
  EXPECT_FALSE(run.trial.running());
}

TEST(GainTrial, WhatIsBetweenTwoRunsDoesNotCount)
{
  Imitation run{{}, 15.0, 20.0, 20};
  run.trial.start(run.step, run.now);
  while (!run.trial.complete()) {
    run.now += 1e6;
    run.trial.resume(run.step, run.now);
    run.go_on();
  }
  EXPECT_DOUBLE_EQ(run.trial.times().with, 15.0);
  EXPECT_DOUBLE_EQ(run.trial.times().without, 20.0);
}
