// SPDX-License-Identifier: GPL-2.0-only

#include "unit/testing.h"

#include "transport/deal.h"

using namespace TOFU_NS;

TEST(Deal, TheCostliestAreServedFirstByDifferentHands)
{
  EXPECT_EQ(deal({1.0, 9.0, 2.0, 8.0}, 2), (std::vector<int>{0, 0, 1, 1}));
  EXPECT_EQ(deal({5.0, 5.0, 5.0}, 3), (std::vector<int>{0, 1, 2}));
}

TEST(Deal, OneHandGetsEverythingAndNothingIsDealtToNobody)
{
  EXPECT_EQ(deal({3.0, 1.0}, 1), (std::vector<int>{0, 0}));
  EXPECT_TRUE(deal({}, 4).empty());
}

TEST(Deal, NoHandHasMoreThanGrahamsBound)
{
  std::mt19937 random(1969);
  std::uniform_real_distribution<double> cost(0.0, 100.0);
  for (int trial = 0; trial < 2000; trial++) {
    const int nhands = 1 + static_cast<int>(random() % 6);
    std::vector<double> costs(random() % 60);
    for (double &c : costs) c = cost(random);

    const auto hands = deal(costs, nhands);
    std::vector<double> load(nhands, 0.0);
    for (std::size_t i = 0; i < costs.size(); i++) {
      ASSERT_GE(hands[i], 0);
      ASSERT_LT(hands[i], nhands);
      load[hands[i]] += costs[i];
    }

    // the best deal is at least the average, the longest item, and two of nhands+1 items:
    // the two shortest of the nhands+1 longest ones

    std::vector<double> sorted(costs);
    std::sort(sorted.rbegin(), sorted.rend());
    double best = std::accumulate(costs.begin(), costs.end(), 0.0) / nhands;
    if (!sorted.empty()) best = std::max(best, sorted[0]);
    if (static_cast<int>(sorted.size()) > nhands)
      best = std::max(best, sorted[nhands - 1] + sorted[nhands]);
    const double largest = *std::max_element(load.begin(), load.end());
    EXPECT_LE(largest, best * 4.0 / 3.0 + 1e-9);
  }
}

TEST(Deal, AMessageThatGoesFurtherCostsMore)
{
  EXPECT_GT(message_cost(1000.0, 3), message_cost(1000.0, 1));
  EXPECT_GT(message_cost(2000.0, 1), message_cost(1000.0, 1));
}
