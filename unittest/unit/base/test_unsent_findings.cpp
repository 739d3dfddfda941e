// SPDX-License-Identifier: GPL-2.0-only

#include "base/unsent_findings.h"

#include <gtest/gtest.h>

using TOFU_NS::UnsentFindings;

TEST(UnsentFindings, CountFromTheFirstStepInWhichAnAtomHasPassed)
{
  UnsentFindings unsent;
  EXPECT_FALSE(unsent.has_passed());
  EXPECT_EQ(unsent.late(7), 0);
  unsent.note_passed(10);
  unsent.note_passed(12);
  EXPECT_TRUE(unsent.has_passed());
  EXPECT_EQ(unsent.late(10), 0);
  EXPECT_EQ(unsent.late(13), 3);
}

TEST(UnsentFindings, RememberThoseOfEarlierLists)
{
  UnsentFindings unsent;
  unsent.note_passed(10);
  unsent.begin_lists(14);
  EXPECT_FALSE(unsent.has_passed());
  EXPECT_EQ(unsent.late(20), 4);
  unsent.note_passed(30);
  EXPECT_EQ(unsent.late(32), 4);    // the larger of the two
  EXPECT_EQ(unsent.late(37), 7);
}

TEST(UnsentFindings, AreForgottenWhenTheyWereSent)
{
  UnsentFindings unsent;
  unsent.note_passed(10);
  unsent.late_in_first_step = unsent.predicted_too_early = true;
  unsent.send_at_once();
  EXPECT_FALSE(unsent.has_passed());
  EXPECT_EQ(unsent.late(20), 0);
  EXPECT_FALSE(unsent.late_in_first_step);
  EXPECT_FALSE(unsent.predicted_too_early);
}

TEST(UnsentFindings, AreKeptIfTheyCameAfterTheStartOfAReduction)
{
  UnsentFindings unsent;
  unsent.start_sending();    // without
  unsent.note_passed(11);
  unsent.finish_sending();
  EXPECT_TRUE(unsent.has_passed());

  unsent.start_sending();    // with
  unsent.finish_sending();
  EXPECT_FALSE(unsent.has_passed());

  unsent.note_passed(20);
  unsent.start_sending();
  unsent.drop_sending();
  unsent.finish_sending();
  EXPECT_TRUE(unsent.has_passed());
}
