// SPDX-License-Identifier: GPL-2.0-only
//
// Ghosts by plan and bins against ghosts by definition: all images of all atoms that lie within
// the cut-off of a sub-box, found by trying every image.

#include "grid_atoms.h"
#include "planned_ghosts.h"
#include "unit/base/part_threads.h"

#include "halo/border_bins.h"
#include "halo/halo_kernels.h"

using namespace TOFU_TEST;

namespace {

/** Ghosts of all ranks by plan and bins. */
std::vector<std::multiset<Ghost>> ghosts_by_plan(const std::vector<HaloPlan> &plans,
                                                 const std::vector<Atom> &atoms,
                                                 const std::vector<double> &cut)
{
  return planned_ghosts(plans, atoms, cut,
                        [&](int rank, const BorderCandidates &owned, SendLists &lists) {
                          BorderBins().build(plans[rank], owned, lists);
                        });
}

std::array<double, 3> place_of(const Grid &grid, const std::vector<Atom> &atoms, const Ghost &ghost)
{
  const auto prd = grid.geometry(0).prd;
  const auto &x = atoms[std::get<0>(ghost)].x;
  return {x[0] + std::get<1>(ghost) * prd[0], x[1] + std::get<2>(ghost) * prd[1],
          x[2] + std::get<3>(ghost) * prd[2]};
}

double distsq_to_sub_box(const HaloGeometry &g, const std::array<double, 3> &x)
{
  double sum = 0.0;
  for (int dim = 0; dim < 3; dim++) {
    const double gap =
        std::max({g.sub_lo(dim, g.myloc[dim]) - x[dim], x[dim] - g.sub_hi(dim, g.myloc[dim]), 0.0});
    sum += gap * gap;
  }
  return sum;
}

}    // namespace

class BorderBinsTest : public testing::TestWithParam<Case> {};

TEST_P(BorderBinsTest, EveryRankGetsExactlyTheImagesWithinTheCutoffOfItsSubBox)
{
  const Grid grid(GetParam());
  for (int nkinds : {1, 3}) {
    const auto atoms = random_atoms(grid, 400, nkinds, 20250204);
    const std::vector<double> cut = cutoffs(grid, nkinds);
    const auto ghosts = ghosts_by_plan(grid.plans(true), atoms, cut);
    for (int rank = 0; rank < grid.size(); rank++)
      EXPECT_EQ(ghosts[rank], ghosts_by_definition(grid, rank, atoms, cut))
          << "rank " << rank << ", " << nkinds << " kinds";
  }
}

TEST_P(BorderBinsTest, RoundedEdgesAndCornersLeaveOutExactlyWhatIsTooFarAway)
{
  const Grid grid(GetParam());
  const auto atoms = random_atoms(grid, 400, 1, 20250205);
  const std::vector<double> cut = cutoffs(grid);
  auto plans = grid.plans(true);
  for (auto &plan : plans) plan.corner_cutsq = cut[0] * cut[0];
  const auto ghosts = ghosts_by_plan(plans, atoms, cut);
  for (int rank = 0; rank < grid.size(); rank++) {
    std::multiset<Ghost> near;
    for (const Ghost &ghost : ghosts_by_definition(grid, rank, atoms, cut))
      if (distsq_to_sub_box(grid.geometry(rank), place_of(grid, atoms, ghost)) <=
          plans[0].corner_cutsq)
        near.insert(ghost);
    EXPECT_EQ(ghosts[rank], near) << "rank " << rank;
  }
}

TEST_P(BorderBinsTest, WithHalfTheShellEveryPairAcrossAFaceIsSeenFromExactlyOneSide)
{
  const Grid grid(GetParam());
  const auto atoms = random_atoms(grid, 200, 1, 20250206);
  const std::vector<double> cut = cutoffs(grid);
  auto plans = grid.half_plans();
  for (auto &plan : plans) plan.corner_cutsq = cut[0] * cut[0];
  const auto ghosts = ghosts_by_plan(plans, atoms, cut);

  for (int rank = 0; rank < grid.size(); rank++)
    for (const Ghost &ghost : ghosts_by_definition(grid, rank, atoms, cut)) {
      const auto xj = place_of(grid, atoms, ghost);
      const auto [j, sx, sy, sz] = ghost;
      for (int i = 0; i < static_cast<int>(atoms.size()); i++) {
        if (atoms[i].owner != rank) continue;
        double rsq = 0.0;
        for (int dim = 0; dim < 3; dim++)
          rsq += (atoms[i].x[dim] - xj[dim]) * (atoms[i].x[dim] - xj[dim]);
        if (rsq > 0.999 * cut[0] * cut[0]) continue;
        const auto here = ghosts[rank].count(ghost);
        const auto there = ghosts[atoms[j].owner].count({i, -sx, -sy, -sz});
        ASSERT_EQ(here + there, 1u) << "atoms " << i << " and " << j << ", rank " << rank;
      }
    }
}

TEST_P(BorderBinsTest, ListsAreTheSameWhateverPartsShareTheAtoms)
{
  const Grid grid(GetParam());
  const int natoms = 3100;
  const std::vector<double> cut = cutoffs(grid);
  const auto plan = grid.plans(true)[0];
  std::vector<double> x;
  for (const Atom &atom : random_atoms(grid, grid.size() * natoms, 1, 20250207))
    if (atom.owner == 0) x.insert(x.end(), atom.x.begin(), atom.x.end());
  const BorderCandidates atoms{x.data(), static_cast<int>(x.size() / 3), nullptr, cut.data(), 1};
  SendLists expected;
  BorderBins().build(plan, atoms, expected);
  for (int nparts : {2, 3}) {
    const Parts threads = part_threads(nparts);
    SendLists lists;
    BorderBins().build(plan, atoms, lists, threads);
    ASSERT_EQ(lists.nswaps(), expected.nswaps());
    for (int s = 0; s < lists.nswaps(); s++)
      ASSERT_EQ(std::vector<int>(lists.list(s), lists.list(s) + lists.count(s)),
                std::vector<int>(expected.list(s), expected.list(s) + expected.count(s)))
          << "swap " << s << ", parts " << nparts;
  }
}

INSTANTIATE_TEST_SUITE_P(Grids, BorderBinsTest, testing::ValuesIn(cases()), case_name);

/* ---------------------------------------------------------------------- */

TEST(BorderBins, TheEstimatedVolumeOfARegionHoldsItsShareOfAtoms)
{
  const Grid grid(Case{"share", {3, 2, 2}, {1, 1, 1}, 0.25, false, 3});
  const int natoms = 200000;
  const auto atoms = random_atoms(grid, natoms, 1, 7);
  const auto plans = grid.plans(true);
  const auto geometry = grid.geometry(5);
  std::vector<double> x;
  for (const Atom &atom : atoms)
    if (atom.owner == 5) x.insert(x.end(), atom.x.begin(), atom.x.end());
  SendLists lists;
  BorderBins().build(
      plans[5], {x.data(), static_cast<int>(x.size() / 3), nullptr, geometry.cutghost.data(), 1},
      lists);
  for (int s = 0; s < lists.nswaps(); s++) {
    const double expected = natoms * plans[5].swaps[s].sent_fraction;
    EXPECT_NEAR(lists.count(s), expected, 6.0 * std::sqrt(expected) + 1.0) << "swap " << s;
  }
}

TEST(HaloKernels, GatherShiftsOnlyWhenTold)
{
  const double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const int list[] = {2, 0};
  const double shift[] = {10, 20, 30};
  double dest[6];
  gather_positions(x, list, 2, nullptr, dest);
  EXPECT_EQ(std::vector<double>(dest, dest + 6), (std::vector<double>{7, 8, 9, 1, 2, 3}));
  gather_positions(x, list, 2, shift, dest);
  EXPECT_EQ(std::vector<double>(dest, dest + 6), (std::vector<double>{17, 28, 39, 11, 22, 33}));
}

TEST(HaloKernels, ForcesAreAddedToTheirOwners)
{
  double f[] = {1, 1, 1, 2, 2, 2, 3, 3, 3};
  const int list[] = {2, 0, 2};
  const double forces[] = {1, 2, 3, 10, 20, 30, 100, 200, 300};
  add_forces(f, list, 3, forces);
  EXPECT_EQ(std::vector<double>(f, f + 9),
            (std::vector<double>{11, 21, 31, 2, 2, 2, 104, 205, 306}));
}
