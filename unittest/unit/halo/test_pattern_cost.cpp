// SPDX-License-Identifier: GPL-2.0-only
//
// Counts of a pattern are those of its plan, and the cheaper pattern is chosen.

#include "halo/pattern_cost.h"

#include "grid.h"

using namespace TOFU_TEST;

namespace {

constexpr double NATOMS = 1000.0;

/** Largest counts of a rank. */
PatternCounts counts_of(const Grid &grid, const std::vector<HaloPlan> &plans)
{
  PatternCounts most;
  for (int rank = 0; rank < grid.size(); rank++) {
    const HaloPlan &plan = plans[rank];
    PatternCounts counts;
    counts.nswaps = static_cast<double>(plan.swaps.size());
    for (const HaloStage &stage : plan.stages) {
      double nsends = 0.0;
      for (const HaloPeer &peer : stage.peers) {
        if (!peer.sends.empty()) nsends++;
        for (int swap : peer.sends) counts.natoms += NATOMS * plan.swaps[swap].sent_fraction;
      }
      counts.nmessages += nsends;
      if (nsends > 0.0) counts.nrounds++;
    }
    most.nswaps = std::max(most.nswaps, counts.nswaps);
    most.nmessages = std::max(most.nmessages, counts.nmessages);
    most.nrounds = std::max(most.nrounds, counts.nrounds);
    most.natoms = std::max(most.natoms, counts.natoms);
  }
  return most;
}

}    // namespace

class PatternCostTest : public testing::TestWithParam<Case> {};

TEST_P(PatternCostTest, CountsAreThoseOfThePlansInAPeriodicGridOfEqualSubBoxes)
{
  const Case &c = GetParam();
  if (!c.uniform || c.periodicity != std::array<int, 3>{1, 1, 1} || c.dimension == 2) return;
  const Grid grid(c);
  const HaloGeometry geometry = grid.geometry(0);
  for (const bool half : {false, true}) {
    const PatternCounts expected = counts_of(grid, half ? grid.half_plans() : grid.plans(true)),
                        direct = count_direct(geometry, NATOMS, half);
    EXPECT_EQ(direct.nswaps, expected.nswaps);
    EXPECT_LE(expected.nmessages, direct.nmessages);
    EXPECT_EQ(direct.nrounds, expected.nrounds);
    if (!half) {
      EXPECT_EQ(direct.nmessages, expected.nmessages);
      EXPECT_NEAR(direct.natoms, expected.natoms, 0.02 * direct.natoms + 1e-9);
    }
  }
  const PatternCounts expected = counts_of(grid, grid.plans(false)),
                      staged = count_staged(geometry, NATOMS);
  EXPECT_EQ(staged.nswaps, expected.nswaps);
  EXPECT_EQ(staged.nmessages, expected.nmessages);
  EXPECT_EQ(staged.nrounds, expected.nrounds);
}

TEST_P(PatternCostTest, AllRanksCountTheSame)
{
  const Grid grid(GetParam());
  for (int rank = 0; rank < grid.size(); rank++) {
    const HaloGeometry geometry = grid.geometry(rank), first = grid.geometry(0);
    EXPECT_EQ(cost_of(count_direct(geometry, NATOMS, false)),
              cost_of(count_direct(first, NATOMS, false)));
    EXPECT_EQ(cost_of(count_staged(geometry, NATOMS)), cost_of(count_staged(first, NATOMS)));
  }
}

INSTANTIATE_TEST_SUITE_P(Grids, PatternCostTest, testing::ValuesIn(cases()), case_name);

TEST(PatternCost, FarNeighborsAreServedInStagesAndNearOnesStraightIfThereAreMany)
{
  using Procgrid = std::array<int, 3>;
  for (const Procgrid &procgrid : {Procgrid{1, 1, 1}, {2, 1, 1}, {2, 2, 2}, {8, 8, 8}}) {
    const auto advantage = [&](double cutoff) {
      const Grid grid({"", procgrid, {1, 1, 1}, cutoff / procgrid[0], true, 3});
      return staged_advantage(grid.geometry(0), 100.0, false);
    };
    if (procgrid[2] > 1) { EXPECT_LT(advantage(0.4), 1.0) << procgrid[0]; }
    EXPECT_LT(advantage(0.4), 2.0) << procgrid[0];
    EXPECT_GT(advantage(6.0), 2.0) << procgrid[0];
    EXPECT_GT(advantage(40.0), 2.0) << procgrid[0];
  }
}
