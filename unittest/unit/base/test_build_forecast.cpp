// SPDX-License-Identifier: GPL-2.0-only
//
// A build of neighbor lists is likely in a step in which the fastest atom, as fast as before, comes
// to the distance at which lists are due.

#include "base/build_forecast.h"

#include <gtest/gtest.h>

#include <random>

using namespace TOFU_NS;

TEST(BuildForecast, EachStepMayBringOneWhereNothingIsKnown)
{
  BuildForecast forecast;
  forecast.begin();
  EXPECT_TRUE(forecast.is_likely(1));
  EXPECT_TRUE(forecast.is_likely(10));
}

TEST(BuildForecast, AtomsAreAsFastAsInTheLastSteps)
{
  BuildForecast forecast;
  forecast.begin();
  forecast.note(1, 0.2);
  EXPECT_FALSE(forecast.is_likely(2));
  forecast.note(2, 0.5);
  EXPECT_FALSE(forecast.is_likely(3));
  EXPECT_TRUE(forecast.is_likely(4));
  forecast.note(3, 0.55);
  EXPECT_FALSE(forecast.is_likely(4));
}

TEST(BuildForecast, NewListsAreUsedUpAsFastAsTheLastOnes)
{
  BuildForecast forecast;
  forecast.begin();
  forecast.note(5, 0.6);
  forecast.note(6, 1.1);
  forecast.begin();
  EXPECT_FALSE(forecast.is_likely(5));
  EXPECT_TRUE(forecast.is_likely(8));
}

TEST(BuildForecast, StepsMayBeSkipped)
{
  BuildForecast forecast;
  forecast.begin();
  forecast.note(2, 0.2);
  forecast.note(6, 0.6);
  EXPECT_FALSE(forecast.is_likely(9));
  EXPECT_TRUE(forecast.is_likely(10));
}

TEST(BuildForecast, AtomsThatTurnBackBringNone)
{
  BuildForecast forecast;
  forecast.begin();
  forecast.note(1, 0.6);
  forecast.note(2, 0.5);
  EXPECT_FALSE(forecast.is_likely(1000));
}

TEST(BuildForecast, AStepThatIsToldTwiceCountsOnce)
{
  BuildForecast forecast;
  forecast.begin();
  forecast.note(1, 0.3);
  forecast.note(1, 0.3);
  EXPECT_FALSE(forecast.is_likely(2));
  EXPECT_TRUE(forecast.is_likely(4));
}

/** Most builds of a liquid are foretold, and few steps without one are taken for one. */
TEST(BuildForecast, WaitsAboutOnceForEachListOfALiquid)
{
  std::mt19937 stream(4711);
  std::uniform_real_distribution<double> gain(0.9, 1.1);
  BuildForecast forecast;
  int nbuilds = 0, nwaits = 0, nmissed = 0;
  for (int list = 0; list < 1000; list++) {
    forecast.begin();
    double part = 0.0, speed = 0.1;
    for (int step = 1;; step++) {
      speed *= gain(stream);
      part += speed;
      const bool likely = forecast.is_likely(step);
      nwaits += likely;
      forecast.note(step, part);
      if (part < 1.0) continue;
      nbuilds++;
      nmissed += !likely;
      break;
    }
  }
  EXPECT_LT(nwaits, 2 * nbuilds);
  EXPECT_LT(nmissed, nbuilds / 10);
}
