// SPDX-License-Identifier: GPL-2.0-only
//
// The trust region grows and shrinks as that of LAMMPS' min_style hftn, and steps end at its
// border.

#include "base/trust_region.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace TOFU_NS;

namespace {

constexpr double MOST = 100.0;

NewtonStep step_of(double norm, StepEnd end)
{
  return {end, norm * norm, norm};
}

double radius_after_accepted(double norm, StepEnd end, double decrease, double predicted)
{
  TrustRegion region{8.0, MOST, MOST};
  region.after_accepted(step_of(norm, end), decrease, predicted);
  return region.radius;
}

double radius_after_rejected(double norm, StepEnd end, double decrease, double predicted)
{
  TrustRegion region{8.0, MOST, 1.0};
  region.after_rejected(step_of(norm, end), decrease, predicted, 1.0);
  return region.radius;
}

TEST(TrustRegion, GrowsAfterALongStepThatWasAsGoodAsPredicted)
{
  EXPECT_EQ(radius_after_accepted(8.0, StepEnd::RADIUS, 0.76, 1.0), 16.0);
  EXPECT_EQ(radius_after_accepted(7.95, StepEnd::MINIMUM, 2.0, 1.0), 16.0);
  EXPECT_EQ(radius_after_accepted(7.9, StepEnd::MINIMUM, 2.0, 1.0), 8.0);
  EXPECT_EQ(radius_after_accepted(8.0, StepEnd::RADIUS, 0.74, 1.0), 8.0);
}

TEST(TrustRegion, NeverGrowsBeyondTheMost)
{
  TrustRegion region{60.0, MOST, MOST};
  region.after_accepted(step_of(60.0, StepEnd::RADIUS), 1.0, 1.0);
  EXPECT_EQ(region.radius, MOST);
}

TEST(TrustRegion, IsNearTheStepThatDmaxEnded)
{
  EXPECT_EQ(radius_after_accepted(3.0, StepEnd::DMAX, 0.5, 1.0), 6.0);
  EXPECT_EQ(radius_after_accepted(5.0, StepEnd::DMAX, 0.5, 1.0), 8.0);
  EXPECT_EQ(radius_after_accepted(0.0, StepEnd::DMAX, 1e-12, 0.0), 0.8);
  EXPECT_EQ(radius_after_accepted(1.0e-17, StepEnd::DMAX, 0.5, 1.0), 0.8);
}

TEST(TrustRegion, ShrinksByHowMuchEnergiesRose)
{
  for (const StepEnd end : {StepEnd::MINIMUM, StepEnd::RADIUS, StepEnd::MOST_ITERATIONS}) {
    EXPECT_EQ(radius_after_rejected(4.0, end, -0.5, 1.0), 1.0);
    EXPECT_EQ(radius_after_rejected(4.0, end, -1.5, 1.0), 0.8);
    EXPECT_EQ(radius_after_rejected(9.0, end, -0.5, 1.0), 2.0);
    EXPECT_EQ(radius_after_rejected(9.0, end, -1.5, 1.0), 1.6);
  }
  EXPECT_EQ(radius_after_rejected(4.0, StepEnd::NEGATIVE_CURVATURE, -0.5, 1.0), 1.0);
  EXPECT_EQ(radius_after_rejected(4.0, StepEnd::NEGATIVE_CURVATURE, -1.5, 1.0), 0.4);
  EXPECT_EQ(radius_after_rejected(9.0, StepEnd::NEGATIVE_CURVATURE, -1.5, 1.0), 0.8);
}

TEST(TrustRegion, ShrinksAfterAStepOfLengthZeroThatDmaxEnded)
{
  EXPECT_EQ(radius_after_rejected(0.0, StepEnd::DMAX, 0.0, 0.0), 0.8);
  EXPECT_EQ(radius_after_rejected(0.0, StepEnd::DMAX, -1.0, 0.0), 0.8);
  EXPECT_EQ(radius_after_rejected(4.0, StepEnd::DMAX, -0.5, 1.0), 1.0);
}

TEST(TrustRegion, ShrinksToTheLastStepToAMinimumIfForcesAreSmall)
{
  const auto rejected = [](StepEnd end, double force, double newton) {
    TrustRegion region{8.0, MOST, MOST};
    region.after_accepted(step_of(newton, StepEnd::MINIMUM), 0.1, 1.0);
    region.after_rejected(step_of(6.0, end), -0.5, 1.0, force);
    return region;
  };
  EXPECT_EQ(rejected(StepEnd::RADIUS, 1e-8, 0.25).radius, 0.5);
  EXPECT_EQ(rejected(StepEnd::RADIUS, 1e-8, 5.0).radius, 1.5);
  EXPECT_EQ(rejected(StepEnd::RADIUS, 2e-8, 0.25).radius, 1.5);
  EXPECT_EQ(rejected(StepEnd::MINIMUM, 1e-8, 0.25).radius, 1.5);

  // a rejected step is the end of steps to minima
  TrustRegion region = rejected(StepEnd::RADIUS, 1e-8, 0.25);
  EXPECT_EQ(region.last_newton, MOST);
  region.after_rejected(step_of(0.4, StepEnd::RADIUS), -0.5, 1.0, 1e-8);
  EXPECT_EQ(region.radius, 0.1);
}

TEST(TrustRegion, OnlyAStepToAMinimumIsThatOfNewton)
{
  for (const StepEnd end : {StepEnd::RADIUS, StepEnd::DMAX, StepEnd::NEGATIVE_CURVATURE}) {
    TrustRegion region{8.0, MOST, 3.0};
    region.after_accepted(step_of(1.0, end), 1.0, 1.0);
    EXPECT_EQ(region.last_newton, 3.0);
  }
}

struct Vector {
  double x, y;
};

double product(Vector a, Vector b)
{
  return a.x * b.x + a.y * b.y;
}

WaysToRadius ways(double radius, Vector p, Vector d)
{
  return {radius, product(p, p), product(p, d), product(d, d)};
}

double norm_after(Vector p, Vector d, double distance)
{
  return std::hypot(p.x + distance * d.x, p.y + distance * d.y);
}

TEST(WaysToRadius, EndAtTheRadius)
{
  for (const Vector p : {Vector{0.0, 0.0}, Vector{0.5, -0.2}, Vector{-1.0, 1.0}})
    for (const Vector d : {Vector{1.0, 0.0}, Vector{-0.3, 2.0}}) {
      const double forth = ways(3.0, p, d).forwards();
      EXPECT_GT(forth, 0.0);
      EXPECT_NEAR(norm_after(p, d, forth), 3.0, 1e-14);
      // energies that fall or rise along d without end
      EXPECT_EQ(ways(3.0, p, d).downwards(-1.0, 0.0), forth);
      const double back = ways(3.0, p, d).downwards(1.0, 0.0);
      EXPECT_LT(back, 0.0);
      EXPECT_NEAR(norm_after(p, d, back), 3.0, 1e-14);
    }
}

TEST(WaysToRadius, AreChosenByTheSlopeAndTheCurvature)
{
  // 1 forth and 5 back
  const WaysToRadius uneven = ways(3.0, {2.0, 0.0}, {1.0, 0.0});
  EXPECT_DOUBLE_EQ(uneven.forwards(), 1.0);
  EXPECT_DOUBLE_EQ(uneven.downwards(-1.0, -1.0), -5.0);    // -1.5 and -7.5
  EXPECT_DOUBLE_EQ(uneven.downwards(-4.0, -1.0), 1.0);     // -4.5 and 7.5
}

TEST(WaysToRadius, AreNoneFromOutsideOrWithoutADirection)
{
  for (const WaysToRadius &none : {ways(1.0, {2.0, 0.0}, {1.0, 0.0}), ways(3.0, {2.0, 0.0}, {})}) {
    EXPECT_EQ(none.forwards(), 0.0);
    EXPECT_EQ(none.downwards(-1.0, -1.0), 0.0);
  }
}

TEST(WaysToRadius, AreShortAtTheRadius)
{
  EXPECT_NEAR(ways(3.0, {3.0, 0.0}, {1.0, 0.0}).forwards(), 0.0, 1e-15);
}

}    // namespace
