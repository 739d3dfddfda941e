// SPDX-License-Identifier: GPL-2.0-only
//
// A build of neighbor lists is likely in a step in which the fastest atom, as fast as before, comes
// to the distance at which lists are due.

#include "unit/testing.h"

#include "base/build_forecast.h"

using namespace TOFU_NS;

namespace {

/** A forecast after notes of steps since the build, and parts of the distance. */
BuildForecast forecast_after(const std::vector<std::pair<int, double>> &notes)
{
  BuildForecast forecast;
  forecast.begin();
  for (const auto &[nsteps, part] : notes) forecast.note(nsteps, part);
  return forecast;
}

}    // namespace

TEST(BuildForecast, EachStepMayBringOneWhereNothingIsKnown)
{
  const BuildForecast forecast = forecast_after({});
  EXPECT_TRUE(forecast.is_likely(1));
  EXPECT_TRUE(forecast.is_likely(10));
}

TEST(BuildForecast, AtomsAreAsFastAsInTheLastSteps)
{
  BuildForecast forecast = forecast_after({{1, 0.2}});
  EXPECT_FALSE(forecast.is_likely(2));
  forecast.note(2, 0.5);
  EXPECT_FALSE(forecast.is_likely(3));
  EXPECT_TRUE(forecast.is_likely(4));
  forecast.note(3, 0.55);
  EXPECT_FALSE(forecast.is_likely(4));
}

TEST(BuildForecast, NewListsAreUsedUpAsFastAsTheLastOnes)
{
  BuildForecast forecast = forecast_after({{5, 0.6}, {6, 1.1}});
  forecast.begin();
  EXPECT_FALSE(forecast.is_likely(5));
  EXPECT_TRUE(forecast.is_likely(8));
}

TEST(BuildForecast, StepsMayBeSkipped)
{
  BuildForecast forecast = forecast_after({{2, 0.2}, {6, 0.6}});
  EXPECT_FALSE(forecast.is_likely(9));
  EXPECT_TRUE(forecast.is_likely(10));
}

TEST(BuildForecast, AtomsThatTurnBackBringNone)
{
  BuildForecast forecast = forecast_after({{1, 0.6}, {2, 0.5}});
  EXPECT_FALSE(forecast.is_likely(1000));
}

TEST(BuildForecast, AStepThatIsToldTwiceCountsOnce)
{
  BuildForecast forecast = forecast_after({{1, 0.3}, {1, 0.3}});
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
