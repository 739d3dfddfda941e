// SPDX-License-Identifier: GPL-2.0-only
//
// Of two ranks that have a pair of an owned atom and a ghost exactly one stores it.

#include "unit/testing.h"

#include "kernels/neighbor/half_list_rule.h"

using TOFU_NS::HalfListRule;

namespace {

using Place = std::array<double, 3>;

/** Some coordinates are alike, as in a lattice. */
Place random_place(std::mt19937 &draw)
{
  Place place;
  for (double &coordinate : place) coordinate = static_cast<double>(draw() % 4);
  return place;
}

}    // namespace

TEST(HalfListRule, OneOfTwoRanksStoresAPair)
{
  std::mt19937 draw(4711);
  for (int n = 0; n < 10000; n++) {
    const Place first = random_place(draw), second = random_place(draw);
    if (first == second) continue;
    const HalfListRule rule;
    const bool mine = rule.stores(1, first.data(), 2, second.data()),
               other = rule.stores(2, second.data(), 1, first.data());
    EXPECT_NE(mine, other);
  }
}

TEST(HalfListRule, BothRanksStoreAPairOfAtomsInOnePlaceAsInLAMMPS)
{
  const Place place{1.0, 2.0, 3.0};
  const HalfListRule rule;
  EXPECT_TRUE(rule.stores(1, place.data(), 2, place.data()));
  EXPECT_TRUE(rule.stores(2, place.data(), 1, place.data()));
}

TEST(HalfListRule, IdsDecideInATriclinicBoxWhereCoordinatesAreNotExact)
{
  std::mt19937 draw(4712);
  const HalfListRule rule{true, 0.01};
  int nmine = 0;
  for (int n = 0; n < 10000; n++) {
    const std::int64_t first = 1 + draw() % 1000, second = 1 + draw() % 1000;
    const Place at = random_place(draw), there = random_place(draw);
    Place rounded = there;
    for (double &coordinate : rounded) coordinate += 1e-9 * (static_cast<double>(draw() % 3) - 1.0);
    if (first == second && at == there) continue;
    const bool mine = rule.stores(first, at.data(), second, there.data());
    nmine += mine;
    EXPECT_NE(mine, rule.stores(second, rounded.data(), first, at.data()));
    EXPECT_EQ(mine, rule.stores(first, at.data(), second, rounded.data()));
  }
  EXPECT_GT(nmine, 4500);
  EXPECT_LT(nmine, 5500);
}
