// SPDX-License-Identifier: GPL-2.0-only
//
// Plans of tiled layouts: those of all ranks fit together, and the ghosts that they and TileBorders
// give are the ghosts by definition, found by trying every image of every atom.

#include "planned_ghosts.h"
#include "tiling.h"

#include "halo/ghost_request.h"
#include "halo/tile_borders.h"

using namespace TOFU_TEST;

namespace {

std::vector<TilingCase> tiling_cases()
{
  const std::array<int, 3> boundaries[] = {{1, 1, 1}, {0, 1, 1}, {1, 0, 1},
                                           {1, 1, 0}, {0, 0, 1}, {0, 0, 0}};
  std::vector<TilingCase> all;
  unsigned seed = 1;
  for (int nranks = 1; nranks <= 12; nranks++)
    for (const double cut : {0.07, 0.3, 0.75, 1.3}) {
      all.push_back({nranks, boundaries[seed % 6], cut, 3, seed});
      seed++;
      if (nranks % 4 == 0) all.push_back({nranks, {1, seed % 2 == 0, 1}, cut, 2, seed});
    }
  for (int nranks : {1, 2, 3, 5, 8}) all.push_back({nranks, {1, 1, 1}, 0.25, 3, 100 + seed++});
  return all;
}

std::vector<Atom> random_atoms(const Tiling &tiling, int natoms, int nkinds)
{
  std::mt19937 random(4711);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const TiledGeometry g = tiling.geometry();
  std::vector<Atom> atoms(natoms);
  for (Atom &atom : atoms) {
    for (int dim = 0; dim < 3; dim++)
      atom.x[dim] = g.box.boxlo[dim] + uniform(random) * g.box.prd[dim];
    atom.owner = g.locate(atom.x.data());
    atom.kind = static_cast<int>(random() % nkinds);
  }
  return atoms;
}

double distance(double x, double lo, double hi)
{
  return std::max({lo - x, x - hi, 0.0});
}

/** f(ghost, distances from the sub-box along each dimension) for all images of all atoms but owned
    ones. */
template <class F>
void for_images(const Tiling &tiling, int rank, const std::vector<Atom> &atoms, F &&f)
{
  const TiledGeometry g = tiling.geometry();
  const TileBox box = g.sub_box(rank);
  std::array<int, 3> images{};
  for (int dim = 0; dim < tiling.dimension(); dim++) images[dim] = g.box.periodicity[dim] ? 3 : 0;
  TOFU_TEST::for_images(g.box, images, atoms, rank,
                        [&](const Ghost &ghost, const std::array<double, 3> &x) {
                          std::array<double, 3> away{};
                          for (int dim = 0; dim < tiling.dimension(); dim++)
                            away[dim] = distance(x[dim], box.lo[dim], box.hi[dim]);
                          f(ghost, away);
                        });
}

std::vector<std::multiset<Ghost>> ghosts_by_plan(const Tiling &tiling,
                                                 const std::vector<HaloPlan> &plans,
                                                 const std::vector<Atom> &atoms,
                                                 const std::vector<double> &cut)
{
  return planned_ghosts(
      plans, atoms, cut, [&](int rank, const BorderCandidates &owned, SendLists &lists) {
        TileBorders().build(plans[rank], tiling.geometry().sub_box(rank), owned, lists);
      });
}

/** Ghosts of each rank are the images that are inside of its extended sub-box.

    \param inside   (atom, distances from the sub-box) -> whether the image is a ghost */
template <class Inside>
void expect_ghosts(const Tiling &tiling, const std::vector<HaloPlan> &plans,
                   const std::vector<Atom> &atoms, const std::vector<double> &cut,
                   const Inside &inside)
{
  const auto ghosts = ghosts_by_plan(tiling, plans, atoms, cut);
  for (int rank = 0; rank < tiling.size(); rank++) {
    std::multiset<Ghost> expected;
    for_images(tiling, rank, atoms, [&](const Ghost &ghost, const std::array<double, 3> &away) {
      if (inside(atoms[std::get<0>(ghost)], away)) expected.insert(ghost);
    });
    EXPECT_EQ(ghosts[rank], expected) << "rank " << rank;
  }
}

std::vector<double> cutoffs(const Tiling &tiling)
{
  const auto cut = tiling.geometry().box.cutghost;
  return {cut.begin(), cut.end()};
}

}    // namespace

class TiledPlanTest : public testing::TestWithParam<TilingCase> {};

TEST_P(TiledPlanTest, EveryPlaceHasOneOwner)
{
  const Tiling tiling(GetParam());
  const TiledGeometry g = tiling.geometry();
  for (const Atom &atom : random_atoms(tiling, 300, 1)) {
    ASSERT_GE(atom.owner, 0);
    const TileBox box = g.sub_box(atom.owner);
    for (int dim = 0; dim < tiling.dimension(); dim++) {
      EXPECT_GE(atom.x[dim], box.lo[dim]);
      EXPECT_LT(atom.x[dim], box.hi[dim]);
    }
  }
  for (int rank = 0; rank < tiling.size(); rank++) {
    const TileBox box = g.sub_box(rank);
    EXPECT_EQ(g.locate(box.lo.data()), rank) << "a lower face belongs to the sub-box";
    double x[3] = {box.lo[0], box.lo[1], g.box.boxhi[2]};
    if (tiling.dimension() == 3) { EXPECT_EQ(g.locate(x), -1) << "the upper end is outside"; }
    EXPECT_GE(g.nearest(x), 0);
    x[2] = g.box.boxlo[2] - 100.0;
    EXPECT_GE(g.nearest(x), 0);
  }
}

TEST_P(TiledPlanTest, EverySendHasItsReceiveInTheSameOrderOnBothSides)
{
  const Tiling tiling(GetParam());
  for (const bool half : {false, true}) {
    const auto plans = tiling.plans(half);
    for (int a = 0; a < tiling.size(); a++)
      for (const HaloPeer &to : plans[a].stages[0].peers) {
        ASSERT_NE(to.rank, a);
        const auto &peers = plans[to.rank].stages[0].peers;
        const auto back = std::find_if(peers.begin(), peers.end(),
                                       [a](const HaloPeer &peer) { return peer.rank == a; });
        ASSERT_NE(back, peers.end()) << a << " -> " << to.rank;
        ASSERT_EQ(to.sends.size(), back->recvs.size()) << a << " -> " << to.rank;
        for (std::size_t k = 0; k < to.sends.size(); k++) {
          const HaloSwap &sent = plans[a].swaps[to.sends[k]];
          const HaloSwap &got = plans[to.rank].swaps[back->recvs[k]];
          for (int dim = 0; dim < 3; dim++) EXPECT_EQ(sent.pbc[dim], -got.pbc[dim]);
          EXPECT_EQ(code_of_sent(plans[a], sent), code_of_received(plans[to.rank], got));
          EXPECT_NEAR(sent.sent_fraction, got.received_fraction, 1e-12);
        }
        std::set<int> codes;
        for (int swap : to.sends) codes.insert(code_of_sent(plans[a], plans[a].swaps[swap]));
        EXPECT_EQ(codes.size(), to.sends.size()) << "two swaps to rank " << to.rank;
      }
  }
}

TEST_P(TiledPlanTest, NeighborsAreMutualWithAnyMargin)
{
  const Tiling tiling(GetParam());
  for (const double factor : {1.0, 1.5})
    for (int a = 0; a < tiling.size(); a++)
      for (const int b : tiled_neighbors(tiling.geometry(), a, factor)) {
        ASSERT_NE(a, b);
        const auto back = tiled_neighbors(tiling.geometry(), b, factor);
        EXPECT_TRUE(std::binary_search(back.begin(), back.end(), a)) << a << " " << b;
      }
}

TEST_P(TiledPlanTest, GhostsAreAllImagesWithinTheExtendedSubBoxAndNoneTwice)
{
  const Tiling tiling(GetParam());
  const auto atoms = random_atoms(tiling, 200, 1);
  const auto cut = cutoffs(tiling);
  expect_ghosts(tiling, tiling.plans(false), atoms, cut,
                [&](const Atom &, const std::array<double, 3> &away) {
                  return away[0] <= cut[0] && away[1] <= cut[1] && away[2] <= cut[2];
                });
}

TEST_P(TiledPlanTest, EachKindOfAtomHasItsOwnCutoff)
{
  const Tiling tiling(GetParam());
  const auto atoms = random_atoms(tiling, 200, 2);
  std::vector<double> cut = cutoffs(tiling);
  for (int dim = 0; dim < 3; dim++) cut.push_back(0.4 * cut[dim]);
  expect_ghosts(tiling, tiling.plans(false), atoms, cut,
                [&](const Atom &atom, const std::array<double, 3> &away) {
                  const double *const c = &cut[3 * atom.kind];
                  return away[0] <= c[0] && away[1] <= c[1] && away[2] <= c[2];
                });
}

TEST_P(TiledPlanTest, WithHalfTheShellEveryPairIsSeenFromExactlyOneSide)
{
  const Tiling tiling(GetParam());
  const TiledGeometry g = tiling.geometry();
  const auto atoms = random_atoms(tiling, 120, 1);
  const auto cut = cutoffs(tiling);
  const double cutsq = cut[0] * cut[0];
  auto plans = tiling.plans(true);
  for (HaloPlan &plan : plans) plan.corner_cutsq = cutsq;
  const auto ghosts = ghosts_by_plan(tiling, plans, atoms, cut);

  const auto distancesq = [&](std::size_t i, std::size_t j, const std::array<int, 3> &image) {
    double sum = 0.0;
    for (int dim = 0; dim < 3; dim++)
      sum += std::pow(atoms[j].x[dim] + image[dim] * g.box.prd[dim] - atoms[i].x[dim], 2);
    return sum;
  };

  // pairs by the lower atom, the upper one, and the displacement of the upper one

  std::map<std::tuple<int, int, int, int, int>, int> seen;
  for (int rank = 0; rank < tiling.size(); rank++)
    for (std::size_t i = 0; i < atoms.size(); i++) {
      if (atoms[i].owner != rank) continue;
      for (const auto &[j, ix, iy, iz] : ghosts[rank]) {
        if (distancesq(i, j, {ix, iy, iz}) > cutsq) continue;
        const int a = static_cast<int>(i);
        const bool as_it_is = a < j || (a == j && std::tie(iz, iy, ix) > std::tuple(0, 0, 0));
        seen[as_it_is ? std::tuple(a, j, ix, iy, iz) : std::tuple(j, a, -ix, -iy, -iz)]++;
      }
    }

  std::map<std::tuple<int, int, int, int, int>, int> expected;
  int images[3];
  for (int dim = 0; dim < 3; dim++)
    images[dim] = g.box.periodicity[dim] && dim < tiling.dimension() ? 3 : 0;
  for (int i = 0; i < static_cast<int>(atoms.size()); i++)
    for (int j = i; j < static_cast<int>(atoms.size()); j++)
      for (int iz = -images[2]; iz <= images[2]; iz++)
        for (int iy = -images[1]; iy <= images[1]; iy++)
          for (int ix = -images[0]; ix <= images[0]; ix++) {
            if (i == j && std::tie(iz, iy, ix) <= std::tuple(0, 0, 0)) continue;
            if (atoms[i].owner == atoms[j].owner && !ix && !iy && !iz) continue;
            if (distancesq(i, j, {ix, iy, iz}) <= cutsq) expected[{i, j, ix, iy, iz}] = 1;
          }
  EXPECT_EQ(seen, expected);
}

TEST_P(TiledPlanTest, HalfTheShellLeavesOutWhatIsFurtherFromTheSubBoxThanTheCutoff)
{
  const Tiling tiling(GetParam());
  const auto atoms = random_atoms(tiling, 200, 1);
  const auto cut = cutoffs(tiling);
  auto plans = tiling.plans(false);
  for (HaloPlan &plan : plans) plan.corner_cutsq = cut[0] * cut[0];
  expect_ghosts(tiling, plans, atoms, cut, [&](const Atom &, const std::array<double, 3> &away) {
    return away[0] * away[0] + away[1] * away[1] + away[2] * away[2] <= cut[0] * cut[0];
  });
}

TEST_P(TiledPlanTest, NearerImagesComeFirst)
{
  const Tiling tiling(GetParam());
  const TiledGeometry g = tiling.geometry();
  const auto plans = tiling.plans(false);
  for (int rank = 0; rank < tiling.size(); rank++) {
    const TileBox mine = g.sub_box(rank);
    double last = 0.0;
    for (const HaloSwap &swap : plans[rank].swaps) {
      const TileBox other = g.sub_box(swap.recvproc);
      double gapsq = 0.0;
      for (int dim = 0; dim < tiling.dimension(); dim++) {
        const double shift = -swap.pbc[dim] * g.box.prd[dim];
        const double gap = std::max(
            {mine.lo[dim] - other.hi[dim] - shift, other.lo[dim] + shift - mine.hi[dim], 0.0});
        gapsq += gap * gap;
      }
      EXPECT_GE(gapsq, last - 1e-9);
      last = gapsq;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tilings, TiledPlanTest, testing::ValuesIn(tiling_cases()), tiling_name);

/* ---------------------------------------------------------------------- */

TEST(TiledPlan, WithoutACutoffThereAreNoSwapsButLinksToAllThatTouch)
{
  const Tiling tiling({8, {1, 1, 1}, 0.0, 3, 3});
  for (int rank = 0; rank < tiling.size(); rank++) {
    const HaloPlan plan = tiled_plan(tiling.geometry(), rank);
    EXPECT_TRUE(plan.swaps.empty());
    EXPECT_FALSE(plan.neighbors.empty());
  }
}

TEST(TiledPlan, TheEstimatedVolumeOfARegionHoldsItsShareOfAtoms)
{
  const Tiling tiling({7, {1, 1, 1}, 0.2, 3, 5});
  const int natoms = 100000, rank = 4;
  std::vector<double> x;
  for (const Atom &atom : random_atoms(tiling, natoms, 1))
    if (atom.owner == rank) x.insert(x.end(), atom.x.begin(), atom.x.end());
  const auto cut = cutoffs(tiling);
  const HaloPlan plan = tiled_plan(tiling.geometry(), rank);
  SendLists lists;
  TileBorders().build(plan, tiling.geometry().sub_box(rank),
                      {x.data(), static_cast<int>(x.size() / 3), nullptr, cut.data(), 1}, lists);
  for (int s = 0; s < lists.nswaps(); s++) {
    const double expected = natoms * plan.swaps[s].sent_fraction;
    EXPECT_NEAR(lists.count(s), expected, 6.0 * std::sqrt(expected) + 1.0) << "swap " << s;
  }
}
