// SPDX-License-Identifier: GPL-2.0-only
//
// Bonded partners of the half shell: with the ghosts of the half shell a rank has exactly the
// images of requested atoms that the full shell has, although it requests them of its lower
// neighbors only.

#include "grid_atoms.h"
#include "tiling.h"

#include "halo/border_bins.h"
#include "halo/partner_borders.h"
#include "halo/tile_borders.h"

using namespace TOFU_TEST;

namespace {

using Ghosts = std::vector<std::multiset<Ghost>>;    // of each rank

bool sends_down_to(const HaloPlan &plan, int rank)
{
  return std::any_of(plan.swaps.begin(), plan.swaps.end(),
                     [=](const HaloSwap &swap) { return swap.sendproc == rank; });
}

/** Atoms that each rank requests: some of all ranks, its own included. */
std::vector<std::set<int>> random_requests(int nranks, int natoms)
{
  std::mt19937 random(57);
  std::vector<std::set<int>> requests(nranks);
  for (std::set<int> &some : requests)
    for (int i = 0; i < natoms; i++)
      if (random() % 3 == 0) some.insert(i);
  return requests;
}

/** Ghosts by upward swaps.

    \param plans      [nranks] of the half shell
    \param requests   [nranks] atoms */
Ghosts partners_by_plan(const std::vector<HaloPlan> &plans, const std::vector<Atom> &atoms,
                        const std::vector<double> &cut, const std::vector<std::set<int>> &requests)
{
  const int nranks = static_cast<int>(plans.size());
  Ghosts ghosts(nranks);
  for (int owner = 0; owner < nranks; owner++) {
    std::vector<double> x;
    std::vector<int> who;
    for (std::size_t i = 0; i < atoms.size(); i++)
      if (atoms[i].owner == owner) {
        x.insert(x.end(), atoms[i].x.begin(), atoms[i].x.end());
        who.push_back(static_cast<int>(i));
      }
    PartnerBorders borders;
    for (int rank = 0; rank < nranks; rank++) {
      if (rank != owner && !sends_down_to(plans[rank], owner)) continue;    // no request comes
      std::vector<int> wanted;
      for (std::size_t k = who.size(); k-- > 0;)
        if (requests[rank].count(who[k])) wanted.insert(wanted.end(), 2, static_cast<int>(k));
      borders.add(rank, wanted);
    }
    SendLists lists;
    borders.build(plans[owner], x.data(), cut.data(), lists);
    EXPECT_EQ(lists.nswaps(), static_cast<int>(plans[owner].upward.size()));
    for (int s = 0; s < lists.nswaps(); s++) {
      const HaloSwap &swap = plans[owner].upward[s];
      EXPECT_TRUE(std::is_sorted(lists.list(s), lists.list(s) + lists.count(s)));
      for (int k = 0; k < lists.count(s); k++)
        ghosts[swap.sendproc].insert(
            {who[lists.list(s)[k]], swap.pbc[0], swap.pbc[1], swap.pbc[2]});
    }
  }
  return ghosts;
}

void expect_images_of_the_full_shell(const Ghosts &full, Ghosts half, const Ghosts &partners,
                                     const std::vector<std::set<int>> &requests)
{
  for (std::size_t rank = 0; rank < full.size(); rank++) {
    std::multiset<Ghost> expected, found;
    const auto is_requested = [&](const Ghost &ghost) {
      return requests[rank].count(std::get<0>(ghost)) > 0;
    };
    std::copy_if(full[rank].begin(), full[rank].end(), std::inserter(expected, expected.end()),
                 is_requested);
    std::copy_if(half[rank].begin(), half[rank].end(), std::inserter(found, found.end()),
                 is_requested);
    found.insert(partners[rank].begin(), partners[rank].end());
    EXPECT_EQ(found, expected) << "rank " << rank;
  }
}

/** Each message has its receiver, with the swaps in the same order on both sides. */
void expect_matching_messages(const std::vector<HaloPlan> &plans)
{
  std::vector<HaloStage> stages;
  for (int rank = 0; rank < static_cast<int>(plans.size()); rank++)
    stages.push_back(HaloPlan::make_stage(plans[rank].upward, 0,
                                          static_cast<int>(plans[rank].upward.size()), rank));
  for (int a = 0; a < static_cast<int>(plans.size()); a++)
    for (const HaloPeer &to : stages[a].peers) {
      const HaloPeer *const back = find_peer(stages[to.rank], a);
      ASSERT_TRUE(back) << a << " -> " << to.rank;
      ASSERT_EQ(to.sends.size(), back->recvs.size()) << a << " -> " << to.rank;
      for (std::size_t k = 0; k < to.sends.size(); k++) {
        const HaloSwap &sent = plans[a].upward[to.sends[k]],
                       &received = plans[to.rank].upward[back->recvs[k]];
        EXPECT_EQ(sent.offset, received.offset);
        EXPECT_NEAR(sent.sent_fraction, received.received_fraction, 1e-12);
      }
    }
}

}    // namespace

class PartnersInGrid : public testing::TestWithParam<Case> {};

TEST_P(PartnersInGrid, ARankGetsTheImagesOfTheFullShellOfWhatItRequests)
{
  const Grid grid(GetParam());
  const auto atoms = random_atoms(grid, 300, 1, 20261201);
  const std::vector<double> cut = cutoffs(grid);
  const auto by_bins = [&](const std::vector<HaloPlan> &plans) {
    return planned_ghosts(plans, atoms, cut,
                          [&](int rank, const BorderCandidates &owned, SendLists &lists) {
                            BorderBins().build(plans[rank], owned, lists);
                          });
  };
  const auto requests = random_requests(grid.size(), static_cast<int>(atoms.size()));
  const auto half = grid.half_plans();
  expect_images_of_the_full_shell(by_bins(grid.plans(true)), by_bins(half),
                                  partners_by_plan(half, atoms, cut, requests), requests);
}

TEST_P(PartnersInGrid, MessagesMatch)
{
  expect_matching_messages(Grid(GetParam()).half_plans());
}

INSTANTIATE_TEST_SUITE_P(Grids, PartnersInGrid, testing::ValuesIn(cases()), case_name);

/* ---------------------------------------------------------------------- */

class PartnersInTiles : public testing::TestWithParam<TilingCase> {};

TEST_P(PartnersInTiles, ARankGetsTheImagesOfTheFullShellOfWhatItRequests)
{
  const Tiling tiling(GetParam());
  const TiledGeometry geometry = tiling.geometry();
  const auto &c = geometry.box.cutghost;
  const std::vector<double> cut(c.begin(), c.end());
  std::mt19937 random(4711);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::vector<Atom> atoms(300);
  for (Atom &atom : atoms) {
    for (int dim = 0; dim < 3; dim++)
      atom.x[dim] = geometry.box.boxlo[dim] + uniform(random) * geometry.box.prd[dim];
    atom.owner = geometry.locate(atom.x.data());
    atom.kind = 0;
  }
  const auto by_tiles = [&](const std::vector<HaloPlan> &plans) {
    return planned_ghosts(plans, atoms, cut,
                          [&](int rank, const BorderCandidates &owned, SendLists &lists) {
                            TileBorders().build(plans[rank], geometry.sub_box(rank), owned, lists);
                          });
  };
  const auto requests = random_requests(tiling.size(), static_cast<int>(atoms.size()));
  const auto half = tiling.plans(true);
  expect_matching_messages(half);
  expect_images_of_the_full_shell(by_tiles(tiling.plans(false)), by_tiles(half),
                                  partners_by_plan(half, atoms, cut, requests), requests);
}

INSTANTIATE_TEST_SUITE_P(
    Tilings, PartnersInTiles,
    testing::Values(TilingCase{1, {1, 1, 1}, 0.3, 3, 1}, TilingCase{2, {1, 1, 1}, 0.3, 3, 2},
                    TilingCase{3, {1, 1, 1}, 1.3, 3, 3}, TilingCase{4, {0, 1, 1}, 0.3, 3, 4},
                    TilingCase{8, {1, 1, 1}, 0.2, 3, 5}, TilingCase{8, {1, 0, 1}, 0.3, 2, 6},
                    TilingCase{12, {1, 1, 1}, 0.75, 3, 7}),
    tiling_name);

/* ---------------------------------------------------------------------- */

TEST(PartnersInPlan, AfterPartnersAreDroppedThePlanIsAsItWasAndAppendedSwapsGoWithThem)
{
  const Grid grid({"Eight", {2, 2, 2}, {1, 1, 1}, 0.2, true, 3});
  const HaloPlan before = grid.half_plans()[0];
  HaloPlan plan = before;
  EXPECT_FALSE(plan.drop_partners());
  for (const bool appended : {false, true}) {
    HaloSwap swap;
    swap.sendproc = swap.recvproc = before.neighbors.back();
    plan.add_partners({swap, swap}, 0);
    EXPECT_EQ(plan.swaps.size(), before.swaps.size() + 2);
    EXPECT_EQ(plan.stages.back().last, static_cast<int>(before.swaps.size()) + 2);
    if (appended) {
      plan.append({swap}, {swap}, 0);
      EXPECT_EQ(plan.stages.size(), before.stages.size() + 1);
    }
    EXPECT_TRUE(plan.drop_partners());
    EXPECT_EQ(plan.swaps.size(), before.swaps.size());
    ASSERT_EQ(plan.stages.size(), before.stages.size());
    EXPECT_EQ(plan.stages[0].last, before.stages[0].last);
    ASSERT_EQ(plan.stages[0].peers.size(), before.stages[0].peers.size());
    for (std::size_t p = 0; p < before.stages[0].peers.size(); p++) {
      EXPECT_EQ(plan.stages[0].peers[p].sends, before.stages[0].peers[p].sends);
      EXPECT_EQ(plan.stages[0].peers[p].recvs, before.stages[0].peers[p].recvs);
    }
  }
}
