// SPDX-License-Identifier: GPL-2.0-only
//
// Stages of all ranks of a grid, one after the other, against ghosts by definition.

#include "grid_atoms.h"

#include "halo/staged_borders.h"

#include <limits>

using namespace TOFU_TEST;

namespace {

/** Bounds of the slabs of a rank, as comm_style brick has them in uniform grids. */
class Slabs {
 public:
  Slabs(const HaloGeometry &geometry, const HaloPlan &plan, const std::vector<double> &cut)
  {
    const int nkinds = static_cast<int>(cut.size()) / 3;
    int nrounds[3] = {0, 0, 0};
    for (const HaloStage &stage : plan.stages) {
      const int dim = dim_of(plan.swaps[stage.first]);
      for (int i = stage.first; i < stage.last; i++) {
        const bool down = plan.swaps[i].offset[dim] < 0;
        const double here = down ? geometry.sub_lo(dim, geometry.myloc[dim])
                                 : geometry.sub_hi(dim, geometry.myloc[dim]);
        const double middle = 0.5 *
            (geometry.sub_lo(dim, geometry.myloc[dim]) + geometry.sub_hi(dim, geometry.myloc[dim]));
        const double far = std::numeric_limits<double>::infinity();
        lo_.emplace_back(nkinds, nrounds[dim] ? middle : -far);    // later rounds send nothing back
        hi_.emplace_back(nkinds, nrounds[dim] ? middle : far);
        for (int kind = 0; kind < nkinds; kind++)
          if (down)
            hi_.back()[kind] = here + cut[3 * kind + dim];
          else
            lo_.back()[kind] = here - cut[3 * kind + dim];
      }
      nrounds[dim]++;
    }
  }

  StagedBorders::Slab of(int swap) const { return {lo_[swap].data(), hi_[swap].data()}; }

  static int dim_of(const HaloSwap &swap) { return swap.offset[0] ? 0 : (swap.offset[1] ? 1 : 2); }

 private:
  std::vector<std::vector<double>> lo_, hi_;    // [nswaps][nkinds]
};

struct RankAtoms {
  std::vector<double> x;
  std::vector<int> kind;
  std::vector<Ghost> which;    // owned ones first, with no displacement
  int nlocal = 0;
  SendLists lists;
  StagedBorders borders;

  void add(const std::array<double, 3> &at, int k, const Ghost &ghost)
  {
    x.insert(x.end(), at.begin(), at.end());
    kind.push_back(k);
    which.push_back(ghost);
  }
};

Ghost displaced(const Ghost &ghost, const int *boxes)
{
  return {std::get<0>(ghost), std::get<1>(ghost) + boxes[0], std::get<2>(ghost) + boxes[1],
          std::get<3>(ghost) + boxes[2]};
}

/** Ghosts of all ranks after all stages.

    \param nsent   owned atoms of each rank that have ghosts, the first ones */
std::vector<std::multiset<Ghost>> ghosts_by_stages(const Grid &grid, const std::vector<Atom> &atoms,
                                                   const std::vector<double> &cut, int nsent)
{
  const auto plans = grid.plans(false);
  const auto prd = grid.geometry(0).prd;
  std::vector<RankAtoms> ranks(grid.size());
  for (std::size_t i = 0; i < atoms.size(); i++)
    ranks[atoms[i].owner].add(atoms[i].x, atoms[i].kind, {static_cast<int>(i), 0, 0, 0});
  for (RankAtoms &rank : ranks) {
    rank.nlocal = static_cast<int>(rank.which.size());
    rank.lists.clear();
  }
  for (std::size_t stage = 0; stage < plans[0].stages.size(); stage++) {
    for (int rank = 0; rank < grid.size(); rank++) {
      RankAtoms &own = ranks[rank];
      const Slabs slabs(grid.geometry(rank), plans[rank], cut);
      const StagedAtoms before{own.x.data(), own.nlocal, static_cast<int>(own.which.size()),
                               std::min(nsent, own.nlocal),
                               cut.size() > 3 ? own.kind.data() : nullptr};
      own.borders.build(
          plans[rank], static_cast<int>(stage), before, [&](int swap) { return slabs.of(swap); },
          own.lists);
    }
    const HaloStage &swaps = plans[0].stages[stage];
    std::vector<RankAtoms> arrived(grid.size());
    for (int rank = 0; rank < grid.size(); rank++)
      for (int i = swaps.first; i < swaps.last; i++) {
        const int from = plans[rank].swaps[i].recvproc;
        if (from < 0) continue;
        const HaloSwap &sent = plans[from].swaps[i];
        for (int k = 0; k < ranks[from].lists.count(i); k++) {
          const int j = ranks[from].lists.list(i)[k];
          std::array<double, 3> at;
          for (int dim = 0; dim < 3; dim++)
            at[dim] = ranks[from].x[3 * j + dim] + sent.pbc[dim] * prd[dim];
          arrived[rank].add(at, ranks[from].kind[j], displaced(ranks[from].which[j], sent.pbc));
        }
      }
    for (int rank = 0; rank < grid.size(); rank++)
      for (std::size_t k = 0; k < arrived[rank].which.size(); k++)
        ranks[rank].add(
            {arrived[rank].x[3 * k], arrived[rank].x[3 * k + 1], arrived[rank].x[3 * k + 2]},
            arrived[rank].kind[k], arrived[rank].which[k]);
  }
  std::vector<std::multiset<Ghost>> ghosts;
  for (const RankAtoms &rank : ranks)
    ghosts.emplace_back(rank.which.begin() + rank.nlocal, rank.which.end());
  return ghosts;
}

std::vector<Case> uniform_cases()
{
  std::vector<Case> uniform;
  for (const Case &one : cases())
    if (one.uniform) uniform.push_back(one);
  return uniform;
}

class StagedBordersTest : public testing::TestWithParam<Case> {};

constexpr int ALL = 1000000;

}    // namespace

TEST_P(StagedBordersTest, EveryRankGetsExactlyTheImagesWithinTheCutoffOfItsSubBox)
{
  const Grid grid(GetParam());
  for (const int nkinds : {1, 3}) {
    const auto atoms = random_atoms(grid, 120, nkinds, 20250204);
    const std::vector<double> cut = cutoffs(grid, nkinds);
    const auto ghosts = ghosts_by_stages(grid, atoms, cut, ALL);
    for (int rank = 0; rank < grid.size(); rank++)
      EXPECT_EQ(ghosts[rank], ghosts_by_definition(grid, rank, atoms, cut))
          << "rank " << rank << ", " << nkinds << " kinds";
  }
}

TEST_P(StagedBordersTest, AtomsThatAreNotOfTheGroupInFrontHaveNoGhosts)
{
  const Grid grid(GetParam());
  const auto atoms = random_atoms(grid, 120, 1, 20250205);
  const std::vector<double> cut = cutoffs(grid);
  constexpr int NSENT = 3;
  std::vector<int> nowned(grid.size(), 0);
  std::set<int> in_group;
  for (std::size_t i = 0; i < atoms.size(); i++)
    if (nowned[atoms[i].owner]++ < NSENT) in_group.insert(static_cast<int>(i));
  const auto ghosts = ghosts_by_stages(grid, atoms, cut, NSENT);
  for (int rank = 0; rank < grid.size(); rank++) {
    std::multiset<Ghost> expected;
    for (const Ghost &ghost : ghosts_by_definition(grid, rank, atoms, cut))
      if (in_group.count(std::get<0>(ghost))) expected.insert(ghost);
    EXPECT_EQ(ghosts[rank], expected) << "rank " << rank;
  }
}

INSTANTIATE_TEST_SUITE_P(Grids, StagedBordersTest, testing::ValuesIn(uniform_cases()), case_name);
