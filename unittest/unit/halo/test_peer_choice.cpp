// SPDX-License-Identifier: GPL-2.0-only
//
// Links of partners and of tiled layouts fit together on all ranks; sizes of messages.

#include "grid.h"
#include "rank_threads.h"
#include "tiling.h"

#include "halo/links/message_sizes.h"
#include "halo/links/partner_links.h"
#include "halo/links/tiled_links.h"

using namespace TOFU_TEST;

namespace {

const Case CHAIN{"Chain", {9, 1, 1}, {1, 1, 1}, 0.1, true, 3};

std::vector<int> next_but_two(int rank)
{
  return {(rank + 3) % 9, (rank + 6) % 9};
}

std::vector<int> ranks_of(const std::map<int, int> &links)
{
  std::vector<int> ranks;
  for (const auto &link : links) ranks.push_back(link.first);
  return ranks;
}

std::vector<std::map<int, int>> wanted_by_all(const Grid &grid, std::vector<PartnerLinks> &links)
{
  const auto plans = grid.plans(true);
  std::vector<std::map<int, int>> all;
  for (int rank = 0; rank < grid.size(); rank++)
    all.push_back(
        links[rank].wanted(plans[rank], rank, [&](int other) { return plans[other].neighbors; }));
  return all;
}

std::vector<PartnerLinks> partners_of_all(const Grid &grid, bool with_senders)
{
  std::vector<PartnerLinks> links(grid.size());
  for (PartnerLinks &one : links) one.set(next_but_two, with_senders, {3, 6});
  return links;
}

TEST(PartnerLinksTest, WithoutPartnersTheNeighborsOfThePlanAreLinked)
{
  const Grid grid(CHAIN);
  std::vector<PartnerLinks> links(grid.size());
  const auto plans = grid.plans(true);
  const auto wanted = wanted_by_all(grid, links);
  for (int rank = 0; rank < grid.size(); rank++) {
    EXPECT_EQ(ranks_of(wanted[rank]), plans[rank].neighbors);
    EXPECT_EQ(links[rank].npartners(), 0);
  }
}

TEST(PartnerLinksTest, BothSidesOfALinkWantIt)
{
  const Grid grid(CHAIN);
  for (const bool with_senders : {false, true}) {
    auto links = partners_of_all(grid, with_senders);
    const auto wanted = wanted_by_all(grid, links);
    for (int rank = 0; rank < grid.size(); rank++) {
      EXPECT_EQ(wanted[rank].count(rank), 0u);
      for (const auto &link : wanted[rank])
        EXPECT_EQ(wanted[link.first].count(rank), 1u) << rank << ", " << link.first;
      for (const int partner : next_but_two(rank)) {
        EXPECT_TRUE(links[rank].is_partner(partner));
        EXPECT_EQ(wanted[rank].count(partner), 1u);
      }
    }
  }
}

TEST(PartnerLinksTest, ARankThatSendsGhostsToAPartnerOfAnotherRankIsLinkedToIt)
{
  const Grid grid(CHAIN);
  std::vector<PartnerLinks> links(grid.size());
  for (PartnerLinks &one : links)
    one.set([](int rank) { return rank % 5 ? std::vector<int>() : std::vector<int>{5 - rank}; },
            true, {});    // two partners, 0 and 5
  const auto wanted = wanted_by_all(grid, links);
  for (int rank = 0; rank < grid.size(); rank++)
    for (const auto &link : wanted[rank])
      EXPECT_EQ(wanted[link.first].count(rank), 1u) << rank << ", " << link.first;
  EXPECT_EQ(wanted[4].count(0), 1u);
}

TEST(PartnerLinksTest, WithReachAPartnerIsLinkedToAllNeighborsOfItsPartners)
{
  const Grid grid(CHAIN);
  const auto plans = grid.plans(true);
  auto links = partners_of_all(grid, true);
  const auto wanted = wanted_by_all(grid, links);
  for (int rank = 0; rank < grid.size(); rank++)
    for (const int partner : next_but_two(rank))
      for (const int owner : plans[partner].neighbors) {
        if (owner == rank) continue;
        EXPECT_EQ(wanted[rank].count(owner), 1u) << rank << ", " << owner;
      }
}

TEST(PartnerLinksTest, WithoutReachAReceiverIsLinkedToTheNeighborsThatItHasInItsPlan)
{
  const Grid grid(CHAIN);
  const auto plans = grid.plans(true);
  auto links = partners_of_all(grid, false);
  wanted_by_all(grid, links);
  for (int donor = 0; donor < grid.size(); donor++)
    for (const int receiver : next_but_two(donor))
      for (int owner = 0; owner < grid.size(); owner++) {
        const auto &theirs = plans[receiver].neighbors;
        EXPECT_EQ(links[donor].links_receiver_to_owner(receiver, owner),
                  std::count(theirs.begin(), theirs.end(), owner) > 0);
      }
}

TEST(PartnerLinksTest, TheSignatureDiffersWithPartnersAndTheirSenders)
{
  std::set<std::vector<int>> signatures;
  PartnerLinks links;
  signatures.insert(links.signature());
  for (const bool with_senders : {false, true})
    for (const int distance : {1, 2}) {
      links.set(next_but_two, with_senders, {distance});
      signatures.insert(links.signature());
    }
  EXPECT_EQ(signatures.size(), 5u);
}

/* ---------------------------------------------------------------------- */

/** All ranks choose links for some layouts, one after the other. */
class TiledChoices {
 public:
  explicit TiledChoices(int nranks) : links_(nranks), peers_(nranks), made_(nranks) {}

  /** \return   whether links were made anew */
  bool choose(const Tiling &tiling, int layout, bool are_for_tiles)
  {
    const TiledGeometry geometry = tiling.geometry();
    LargestOfRanks largest(tiling.size());
    on_all_ranks(tiling.size(), [&](const World &world) {
      const TiledLinks::Rank rank{tiling.size(),
                                  {static_cast<double>(layout)},
                                  tiled_neighbors(geometry, world.rank, 1.0),
                                  [&]() {
                                    return tiled_neighbors(geometry, world.rank, TiledLinks::REACH);
                                  }};
      made_[world.rank] =
          links_[world.rank].choose(rank, are_for_tiles, peers_[world.rank],
                                    [&](int *numbers, int n) { largest.reduce(numbers, n); });
    });
    for (int rank = 0; rank < tiling.size(); rank++) {
      EXPECT_EQ(made_[rank], made_[0]);
      EXPECT_EQ(links_[rank].signature(), links_[0].signature());
      EXPECT_EQ(links_[rank].complete(), links_[0].complete());
      for (const int peer : peers_[rank])
        EXPECT_EQ(std::count(peers_[peer].begin(), peers_[peer].end(), rank), 1)
            << rank << ", " << peer;
      const auto wanted = tiled_neighbors(geometry, rank, 1.0);
      EXPECT_TRUE(
          std::includes(peers_[rank].begin(), peers_[rank].end(), wanted.begin(), wanted.end()));
    }
    return made_[0];
  }

  const TiledLinks &links() const { return links_[0]; }
  const std::vector<int> &peers(int rank) const { return peers_[rank]; }

 private:
  std::vector<TiledLinks> links_;
  std::vector<std::vector<int>> peers_;
  std::vector<char> made_;
};

TilingCase tiling_case(int nranks, double cut, unsigned seed)
{
  return {nranks, {1, 1, 1}, cut, 3, seed};
}

TEST(TiledLinksTest, AllRanksChooseAlikeAndLinksAreKeptWhereLayoutsComeBack)
{
  const Tiling first(tiling_case(16, 0.05, 1)), second(tiling_case(16, 0.05, 2));
  TiledChoices choices(16);
  EXPECT_TRUE(choices.choose(first, 1, false));
  const auto signature = choices.links().signature();
  EXPECT_FALSE(choices.choose(first, 1, true));
  choices.choose(second, 2, true);
  EXPECT_FALSE(choices.choose(first, 3, true)) << "the links of both layouts are there";
  EXPECT_TRUE(choices.choose(first, 3, false)) << "links were made for a grid meanwhile";
  EXPECT_NE(choices.links().signature(), signature);
}

TEST(TiledLinksTest, LinksOfEarlierLayoutsGoWhereARankWouldHaveTooMany)
{
  constexpr int NRANKS = 100;
  const Tiling first(tiling_case(NRANKS, 0.12, 3)), second(tiling_case(NRANKS, 0.03, 4));
  TiledChoices choices(NRANKS);
  choices.choose(first, 1, false);
  EXPECT_FALSE(choices.links().complete());
  std::size_t most = 0;
  for (int rank = 0; rank < NRANKS; rank++) most = std::max(most, choices.peers(rank).size());
  EXPECT_GT(most, static_cast<std::size_t>(TiledLinks::MOST_LINKS));
  ASSERT_TRUE(choices.choose(second, 2, true));
  for (const int rank : {0, NRANKS / 2})
    EXPECT_EQ(choices.peers(rank), tiled_neighbors(second.geometry(), rank, TiledLinks::REACH));
}

TEST(TiledLinksTest, FewRanksAreLinkedToAllOthers)
{
  const Tiling tiling(tiling_case(3, 0.6, 5));
  TiledChoices choices(3);
  choices.choose(tiling, 1, false);
  EXPECT_TRUE(choices.links().complete());
}

/* ---------------------------------------------------------------------- */

TEST(MessageSizesTest, ASlotHoldsWhatTheDensestSubBoxSuggests)
{
  const Grid grid(CHAIN);
  const HaloPlan plan = grid.plans(true)[0];
  MessageSizes sizes;
  sizes.values_per_atom = 6.0;
  sizes.values_per_ghost = 3.0;
  sizes.densest = 90000.0;
  sizes.own_fraction = 1.0 / grid.size();
  const PartnerLinks none;
  for (const HaloPeer &peer : plan.stages[0].peers) {
    double sent = 0.0;
    for (const int swap : peer.sends) sent += plan.swaps[swap].sent_fraction;
    const double needed = sent * sizes.densest * sizes.values_per_atom * sizeof(double);
    const auto nbytes = static_cast<double>(sizes.to(peer.rank, plan, none, 1.0));
    EXPECT_GE(nbytes, needed);
    EXPECT_LE(nbytes, needed + 3.0 * Link::BLOCK);
    EXPECT_GT(static_cast<double>(sizes.to(peer.rank, plan, none, 1.5)), 1.4 * needed);
  }
}

TEST(MessageSizesTest, RowsForPartnersNeedLargerSlotsUpToALimit)
{
  const Grid grid(CHAIN);
  auto links = partners_of_all(grid, false);
  wanted_by_all(grid, links);
  const HaloPlan plan = grid.plans(true)[0];
  const int partner = next_but_two(0)[0];
  MessageSizes sizes;
  sizes.values_per_atom = 6.0;
  sizes.own_fraction = 1.0 / grid.size();
  sizes.densest = 90000.0;
  const PartnerLinks none;
  EXPECT_GT(sizes.to(partner, plan, links[0], 1.0), sizes.to(partner, plan, none, 1.0));
  sizes.densest = 1e9;
  sizes.values_per_atom = 0.0;
  EXPECT_LE(sizes.to(partner, plan, links[0], 1.0), (1u << 20) + Link::BLOCK);
}

}    // namespace
