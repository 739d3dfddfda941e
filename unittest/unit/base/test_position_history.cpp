// SPDX-License-Identifier: GPL-2.0-only

#include "base/position_history.h"

#include <gtest/gtest.h>

using TOFU_NS::PositionHistory;

TEST(PositionHistory, HasTheLastSteps)
{
  PositionHistory history;
  EXPECT_EQ(history.at(0, 2), nullptr);
  EXPECT_EQ(history.at(-1, 2), nullptr);
  for (int step = 5; step < 20; step++) {
    double *const x = history.keep(step, 2);
    for (int k = 0; k < 6; k++) x[k] = 10.0 * step + k;
    for (int ago = 0; ago < PositionHistory::NSTEPS && step - ago >= 5; ago++) {
      const double *const found = history.at(step - ago, 2);
      ASSERT_NE(found, nullptr) << ago << " steps before " << step;
      for (int k = 0; k < 6; k++) EXPECT_EQ(found[k], 10.0 * (step - ago) + k);
    }
    EXPECT_EQ(history.at(step - PositionHistory::NSTEPS, 2), nullptr);
    EXPECT_EQ(history.at(step + 1, 2), nullptr);
  }
}

TEST(PositionHistory, HasNoStepsThatWereLeftOut)
{
  PositionHistory history;
  history.keep(4, 1);
  EXPECT_EQ(history.at(1, 1), nullptr);
  EXPECT_EQ(history.at(7, 1), nullptr);
  EXPECT_NE(history.at(4, 1), nullptr);
}

TEST(PositionHistory, HasNoOtherAtoms)
{
  PositionHistory history;
  history.keep(4, 3);
  EXPECT_EQ(history.at(4, 2), nullptr);
  EXPECT_NE(history.at(4, 3), nullptr);
  history.forget();
  EXPECT_EQ(history.at(4, 3), nullptr);
}
