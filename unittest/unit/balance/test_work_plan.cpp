// SPDX-License-Identifier: GPL-2.0-only
//
// From measured work to a plan, and the statistics of its transfers.

#include "balance/row_counts.h"
#include "balance/work_plan.h"

#include <gtest/gtest.h>

using namespace TOFU_NS;

namespace {

const RankRing OPEN{{0, 1, 2, 3}, false};
const std::vector<int> EACH_ALONE{0, 1, 2, 3}, TWO_NODES{0, 0, 1, 1};

std::vector<MeasuredWork> units(const std::vector<double> &of_ranks)
{
  std::vector<MeasuredWork> ranks;
  for (double one : of_ranks) ranks.push_back({one, 0.0});
  return ranks;
}

void expect_plan(const std::vector<Transfer> &plan, const std::vector<Transfer> &expected)
{
  ASSERT_EQ(plan.size(), expected.size());
  for (std::size_t n = 0; n < plan.size(); n++) {
    EXPECT_EQ(plan[n].from, expected[n].from) << n;
    EXPECT_EQ(plan[n].to, expected[n].to) << n;
    EXPECT_EQ(plan[n].amount, expected[n].amount) << n;
  }
}

TEST(WorkPlan, CountsUnitsUntilAllRanksWithRowsHaveMeasuredTheirTime)
{
  EXPECT_EQ(plan_scales({{100.0, 5.0}, {50.0, 0.0}}), (std::vector<double>{1.0, 1.0}));
  EXPECT_EQ(plan_scales({{100.0, 5.0}, {50.0, 3.0}}), (std::vector<double>{5.0, 3.0}));
  EXPECT_EQ(plan_scales({{100.0, 5.0}, {0.0, 0.0}}), (std::vector<double>{5.0, 1.0}));
  EXPECT_EQ(plan_scales(units({2.0, 3.0})), (std::vector<double>{1.0, 1.0}));
}

TEST(WorkPlan, MovesWorkBetweenNeighborsOnTheRing)
{
  expect_plan(plan_work(OPEN, EACH_ALONE, units({100.0, 20.0, 60.0, 60.0}), {}), {{0, 1, 40}});
}

TEST(WorkPlan, ComparesTimesWhereTheyAreMeasured)
{
  const std::vector<MeasuredWork> slow_rank{{60.0, 3.0}, {60.0, 1.0}, {60.0, 2.0}, {60.0, 2.0}};
  expect_plan(plan_work(OPEN, EACH_ALONE, slow_rank, {}), {{0, 1, 60}});
}

TEST(WorkPlan, MovesNothingUpToTheThreshold)
{
  PlanOptions options;
  options.thresh = 1.25;
  EXPECT_TRUE(plan_work(OPEN, EACH_ALONE, units({50.0, 40.0, 40.0, 30.0}), options).empty());
  EXPECT_FALSE(plan_work(OPEN, EACH_ALONE, units({51.0, 39.0, 40.0, 30.0}), options).empty());
  EXPECT_TRUE(plan_work(OPEN, EACH_ALONE, units({0.0, 0.0, 0.0, 0.0}), {}).empty());
}

TEST(WorkPlan, LevelsNodesInsteadOfRanks)
{
  PlanOptions options;
  options.level_node = true;
  const auto ranks = units({90.0, 30.0, 70.0, 50.0});
  const std::vector<Transfer> plan = plan_work(OPEN, TWO_NODES, ranks, options);
  expect_plan(plan, {{0, 1, 30}, {2, 3, 10}});
}

TEST(WorkPlan, GoesOneWayIfToldSo)
{
  PlanOptions options;
  options.direction = RingDirection::DOWNSTREAM;
  const auto plan = plan_work(OPEN, EACH_ALONE, units({10.0, 90.0, 20.0, 10.0}), options);
  EXPECT_FALSE(plan.empty());
  for (const Transfer &transfer : plan) EXPECT_EQ(transfer.to, transfer.from + 1);
}

TEST(RowCounts, AreSummedUpOverRanks)
{
  const RowSummary summary =
      summarize({{120, 90, 30, 0, 0}, {60, 90, 0, 30, 7}, {90, 90, 0, 0, 0}});
  EXPECT_DOUBLE_EQ(summary.imbalance_owned, 120.0 / 90.0);
  EXPECT_DOUBLE_EQ(summary.imbalance_computed, 1.0);
  EXPECT_EQ(summary.given, 30.0);
  EXPECT_EQ(summary.extra_ghosts, 7.0);
}

TEST(RowCounts, HaveNoImbalanceWithoutRows)
{
  const RowSummary summary = summarize(std::vector<RowCounts>(2));
  EXPECT_EQ(summary.imbalance_owned, 1.0);
  EXPECT_EQ(summary.imbalance_computed, 1.0);
}

TEST(RowCounts, AreThoseOfTheOwnerWithoutTransfers)
{
  RowCounts counts{5, 1, 4, 0, 3};
  counts.set_no_transfers();
  EXPECT_EQ(counts.columns(), (std::array<std::int64_t, RowCounts::N>{5, 5, 0, 0, 0}));
}

}    // namespace
