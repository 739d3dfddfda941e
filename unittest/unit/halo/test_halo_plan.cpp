// SPDX-License-Identifier: GPL-2.0-only
//
// The plans of all ranks of a grid fit together, checked without sending anything.

#include "grid.h"

using namespace TOFU_TEST;

class HaloPlanTest : public testing::TestWithParam<Case> {};

TEST_P(HaloPlanTest, EverySendHasItsReceiveInTheSameOrderOnBothSides)
{
  const Grid grid(GetParam());
  for (const auto &plans : {grid.plans(true), grid.plans(false), grid.half_plans()})
    for (std::size_t s = 0; s < plans[0].stages.size(); s++)
      for (int a = 0; a < grid.size(); a++) {
        ASSERT_EQ(plans[a].stages.size(), plans[0].stages.size());
        for (const HaloPeer &to : plans[a].stages[s].peers) {
          EXPECT_NE(to.rank, a);
          const HaloPeer *back = find_peer(plans[to.rank].stages[s], a);
          ASSERT_TRUE(back) << a << " -> " << to.rank;
          ASSERT_EQ(to.sends.size(), back->recvs.size()) << a << " -> " << to.rank;
          for (std::size_t k = 0; k < to.sends.size(); k++)
            EXPECT_EQ(plans[a].swaps[to.sends[k]].offset,
                      plans[to.rank].swaps[back->recvs[k]].offset);
        }
      }
}

TEST_P(HaloPlanTest, NeighborsAreMutualAndHoldEveryPeerOfBothPatterns)
{
  const Grid grid(GetParam());
  const auto direct = grid.plans(true), staged = grid.plans(false);
  bool complete = true;
  for (int a = 0; a < grid.size(); a++) {
    const auto &neighbors = direct[a].neighbors;
    EXPECT_EQ(neighbors, staged[a].neighbors);
    EXPECT_TRUE(std::is_sorted(neighbors.begin(), neighbors.end()));
    complete = complete && static_cast<int>(neighbors.size()) == grid.size() - 1;
    for (int b : neighbors) {
      const auto &back = direct[b].neighbors;
      EXPECT_TRUE(std::binary_search(back.begin(), back.end(), a)) << a << " " << b;
    }
    for (const auto *plan : {&direct[a], &staged[a]})
      for (const auto &stage : plan->stages)
        for (const auto &peer : stage.peers)
          EXPECT_TRUE(std::binary_search(neighbors.begin(), neighbors.end(), peer.rank));
  }
  for (const auto &plan : direct)
    if (plan.complete) { EXPECT_TRUE(complete) << "claims links that are not there"; }
}

TEST_P(HaloPlanTest, NeighborsAreTheOtherEndsOfAllSwapsAndHopsTheNearestOfThem)
{
  const Grid grid(GetParam());
  const auto plans = grid.plans(true);
  for (int a = 0; a < grid.size(); a++) {
    std::map<int, int> hops;
    for (const HaloSwap &swap : plans[a].swaps)
      for (int rank : {swap.sendproc, swap.recvproc}) {
        if (rank < 0 || rank == a) continue;
        const int n =
            std::abs(swap.offset[0]) + std::abs(swap.offset[1]) + std::abs(swap.offset[2]);
        const auto place = hops.insert({rank, n});
        place.first->second = std::min(place.first->second, n);
      }
    std::vector<int> ranks, nhops;
    for (const auto &[rank, n] : hops) {
      ranks.push_back(rank);
      nhops.push_back(n);
    }
    EXPECT_EQ(plans[a].neighbors, ranks);
    EXPECT_EQ(plans[a].hops, nhops);
  }
}

TEST_P(HaloPlanTest, AllRanksComeToTheSameSignature)
{
  const Grid grid(GetParam());
  const auto plans = grid.plans(true);
  for (const auto &plan : plans) EXPECT_EQ(plan.signature, plans[0].signature);
}

TEST_P(HaloPlanTest, HalfTheShellIsOneOfEveryTwoOppositeDirectionsOnAllRanksAlike)
{
  const Grid grid(GetParam());
  const auto full = grid.plans(true), half = grid.half_plans();
  for (int rank = 0; rank < grid.size(); rank++) {
    EXPECT_EQ(half[rank].neighbors, full[rank].neighbors);
    EXPECT_EQ(half[rank].signature, full[rank].signature);
    std::set<std::array<int, 3>> kept;
    for (const auto &swap : half[rank].swaps) kept.insert(swap.offset);
    for (const auto &swap : full[rank].swaps) {
      const auto &o = swap.offset;
      EXPECT_NE(kept.count(o), kept.count({-o[0], -o[1], -o[2]}));
    }
  }
}

TEST_P(HaloPlanTest, AfterAppendedSwapsAreDroppedThePlanIsAsItWas)
{
  const Grid grid(GetParam());
  for (const auto &plans : {grid.plans(true), grid.plans(false), grid.half_plans()}) {
    const HaloPlan &before = plans[0];
    HaloPlan plan = before;
    const int peer = before.neighbors.empty() ? 0 : before.neighbors.back();
    HaloSwap swap;
    swap.sendproc = swap.recvproc = peer;
    for (const std::vector<HaloSwap> &forwarded : {std::vector<HaloSwap>(), {swap, swap}}) {
      plan.append({swap}, forwarded, 0);
      EXPECT_EQ(plan.swaps.size(), before.swaps.size() + 1 + forwarded.size());
      EXPECT_EQ(plan.stages.size(), before.stages.size() + !forwarded.empty());
    }
    plan.drop_appended();
    ASSERT_EQ(plan.stages.size(), before.stages.size());
    EXPECT_EQ(plan.swaps.size(), before.swaps.size());
    for (std::size_t s = 0; s < plan.stages.size(); s++) {
      EXPECT_EQ(plan.stages[s].self, before.stages[s].self);
      ASSERT_EQ(plan.stages[s].peers.size(), before.stages[s].peers.size());
      for (std::size_t p = 0; p < plan.stages[s].peers.size(); p++) {
        EXPECT_EQ(plan.stages[s].peers[p].sends, before.stages[s].peers[p].sends);
        EXPECT_EQ(plan.stages[s].peers[p].recvs, before.stages[s].peers[p].recvs);
      }
    }
  }
}

TEST_P(HaloPlanTest, SwapsAreOrderedByShell)
{
  const Grid grid(GetParam());
  const auto plans = grid.plans(true);
  for (const auto &plan : plans) {
    int last = 1;
    for (const auto &swap : plan.swaps) {
      const int shell =
          std::abs(swap.offset[0]) + std::abs(swap.offset[1]) + std::abs(swap.offset[2]);
      EXPECT_GE(shell, last);
      last = shell;
    }
  }
}

using HaloLinksTest = HaloPlanTest;

TEST_P(HaloLinksTest, WithinReachOfTheAdjacentSubBoxesAnAtomIsWhereThisRankIsOrHasALink)
{
  const Grid grid(GetParam());
  const auto plans = grid.plans(true);
  const RankMap ranks = grid.rank_map();
  for (int me = 0; me < grid.size(); me++) {
    const HaloGeometry geometry = grid.geometry(me);
    const auto covered = geometry.distance_covered_by_adjacent();
    for (int corner = 0; corner < 3 * 27; corner++) {
      const double part = std::array<double, 3>{0.1, 0.5, 0.999}[corner / 27];
      std::array<int, 3> at{};
      bool inside = true;
      for (int dim = 0, rest = corner % 27; dim < 3; dim++, rest /= 3) {
        const double by = part * std::min(covered[dim], geometry.prd[dim]);
        const double from = geometry.sub_lo(dim, geometry.myloc[dim]),
                     to = geometry.sub_hi(dim, geometry.myloc[dim]);
        double x = rest % 3 == 0 ? from - by
            : rest % 3 == 1      ? 0.5 * (from + to)
                                 : std::nextafter(to + by, from);
        if (geometry.periodicity[dim]) {
          if (x < geometry.boxlo[dim]) x += geometry.prd[dim];
          if (x >= geometry.boxhi[dim]) x -= geometry.prd[dim];
        }
        at[dim] = geometry.dimension == 2 && dim == 2 ? 0 : geometry.locate(dim, x);
        inside = inside && at[dim] >= 0;
      }
      if (!inside) continue;
      const int owner = ranks.at(at[0], at[1], at[2]);
      const auto &linked = plans[me].neighbors;
      EXPECT_TRUE(owner == me || std::binary_search(linked.begin(), linked.end(), owner));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Grids, HaloPlanTest, testing::ValuesIn(cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Grids, HaloLinksTest, testing::ValuesIn(cases()), case_name);
INSTANTIATE_TEST_SUITE_P(WithoutGhosts, HaloLinksTest,
                         testing::Values(Case{"Two", {2, 1, 1}, {1, 1, 1}, 0.0, false, 3},
                                         Case{"Three", {3, 1, 1}, {1, 1, 1}, 0.0, false, 3},
                                         Case{
                                             "TwoNotPeriodic", {2, 2, 1}, {0, 1, 1}, 0.0, false, 3},
                                         Case{"Five", {5, 1, 2}, {1, 0, 1}, 0.0, true, 3}),
                         case_name);

/* ---------------------------------------------------------------------- */

TEST(HaloPlan, ShortCutoffInThreeDimensionsHasTwentySixSwapsAndALongOneHasOneHundredAndTwentyFour)
{
  Case near{"near", {4, 4, 4}, {1, 1, 1}, 0.2, true, 3};
  EXPECT_EQ(Grid(near).plans(true)[0].swaps.size(), 26u);
  EXPECT_EQ(Grid(near).plans(true)[0].neighbors.size(), 26u);
  EXPECT_EQ(Grid(near).plans(false)[0].swaps.size(), 6u);
  EXPECT_EQ(Grid(near).half_plans()[0].swaps.size(), 13u);
  Case far{"far", {5, 5, 5}, {1, 1, 1}, 0.35, true, 3};
  EXPECT_EQ(Grid(far).plans(true)[0].swaps.size(), 124u);
  EXPECT_EQ(Grid(far).half_plans()[0].swaps.size(), 62u);
  Case flat{"flat", {4, 4, 1}, {1, 1, 1}, 0.2, true, 2};
  EXPECT_EQ(Grid(flat).plans(true)[0].swaps.size(), 8u);
  EXPECT_EQ(Grid(flat).half_plans()[0].swaps.size(), 4u);
}

TEST(HaloPlan, WithOneHundredThousandRanksThePlanOfARankAsksForNone)
{
  Case huge{"huge", {48, 64, 48}, {1, 1, 1}, 1.001 / 48, true, 3};
  const Grid grid(huge);
  int nasked = 0;
  const RankMap ranks(huge.procgrid, [&](int x, int y, int z) {
    nasked++;
    return grid.rank_of(x, y, z);
  });
  EXPECT_EQ(nasked, grid.size());
  for (const int me : {0, 4711, grid.size() - 1}) {
    const HaloPlan plan = HaloPlan::direct(grid.geometry(me), me, ranks);
    EXPECT_EQ(plan.neighbors.size(), 5u * 5 * 3 - 1);
    EXPECT_FALSE(plan.complete);
    EXPECT_LE(plan.signature.size(), 2u * (48 + 64 + 48) + 8);
    EXPECT_EQ(ranks.place_of(me), grid.geometry(me).myloc);
  }
  EXPECT_EQ(nasked, grid.size());
}

TEST(HaloPlan, TheSignatureDiffersWhereTwoRanksHaveChangedPlaces)
{
  Case c{"case", {4, 4, 4}, {1, 1, 1}, 0.2, true, 3};
  const Grid grid(c);
  const auto other = [&](int x, int y, int z) {
    const int rank = grid.rank_of(x, y, z);
    return rank == 62 ? 61 : rank == 61 ? 62 : rank;
  };
  const auto geometry = grid.geometry(0);
  const auto signature = HaloPlan::direct(geometry, 0, grid.rank_map()).signature;
  EXPECT_EQ(HaloPlan::direct(geometry, 0, grid.rank_map()).signature, signature);
  EXPECT_NE(HaloPlan::direct(geometry, 0, RankMap(c.procgrid, other)).signature, signature);
}

TEST(HaloPlan, PbcSaysHowManyBoxLengthsBringAnAtomToTheReceiver)
{
  Case alone{"alone", {1, 1, 1}, {1, 1, 1}, 2.5, true, 3};
  const auto plans = Grid(alone).plans(true);
  for (const HaloSwap &swap : plans[0].swaps) {
    for (int dim = 0; dim < 3; dim++) EXPECT_EQ(swap.pbc[dim], -swap.offset[dim]);
    EXPECT_EQ(swap.pbc[3], swap.pbc[2]);
    EXPECT_EQ(swap.pbc[4], swap.pbc[2]);
    EXPECT_EQ(swap.pbc[5], swap.pbc[1]);
    EXPECT_EQ(swap.pbc_flag, 1);
  }
}

TEST(HaloGeometry, LocateAgreesWithTheBoundsOfTheSubBoxesToTheLastBit)
{
  Case uneven{"uneven", {7, 1, 1}, {0, 1, 1}, 0.1, false, 3};
  const Grid grid(uneven);
  const auto geometry = grid.geometry(3);
  for (int loc = 0; loc < 7; loc++) {
    const double lo = geometry.sub_lo(0, loc), hi = geometry.sub_hi(0, loc);
    EXPECT_EQ(geometry.locate(0, lo), loc);
    EXPECT_EQ(geometry.locate(0, std::nextafter(hi, lo)), loc);
    EXPECT_EQ(geometry.locate(0, hi), loc < 6 ? loc + 1 : -1);
  }
  EXPECT_EQ(geometry.locate(0, std::nextafter(geometry.boxlo[0], -1e9)), -1);
  EXPECT_EQ(geometry.locate(0, std::nan("")), -1);
}
