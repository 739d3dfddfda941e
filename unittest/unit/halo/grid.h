// SPDX-License-Identifier: GPL-2.0-only
//
// All ranks of a grid at once, for tests of plans.

#ifndef TOFU_TEST_GRID_H
#define TOFU_TEST_GRID_H

#include "unit/testing.h"

#include "halo/halo_plan.h"

namespace TOFU_TEST {

using namespace TOFU_NS;

struct Case {
  const char *name;
  std::array<int, 3> procgrid, periodicity;
  double cutghost;    // in box lengths of x
  bool uniform;
  int dimension;
};

inline std::vector<Case> cases()
{
  return {
      {"OneRankShortCutoff", {1, 1, 1}, {1, 1, 1}, 0.3, true, 3},
      {"OneRankCutoffBeyondTheBox", {1, 1, 1}, {1, 1, 1}, 1.4, true, 3},
      {"TwoRanks", {1, 1, 2}, {1, 1, 1}, 0.2, true, 3},
      {"TwoRanksNotPeriodicAcross", {2, 1, 1}, {0, 1, 1}, 0.2, true, 3},
      {"ThreeRanks", {3, 1, 1}, {1, 1, 1}, 0.4, true, 3},
      {"EightRanks", {2, 2, 2}, {1, 1, 1}, 0.2, true, 3},
      {"CutoffOverThreeSubBoxes", {5, 2, 1}, {1, 1, 1}, 0.55, true, 3},
      {"CutoffOverMoreSubBoxesThanThereAre", {3, 2, 2}, {1, 1, 1}, 1.1, true, 3},
      {"NothingPeriodic", {3, 3, 2}, {0, 0, 0}, 0.4, true, 3},
      {"MixedBoundaries", {4, 2, 2}, {1, 0, 1}, 0.3, true, 3},
      {"TwoDimensions", {3, 4, 1}, {1, 1, 1}, 0.3, true, 2},
      {"UnevenBricks", {4, 3, 1}, {1, 1, 1}, 0.2, false, 3},
      {"UnevenBricksLongCutoff", {4, 2, 2}, {1, 1, 1}, 0.6, false, 3},
      {"UnevenBricksNotPeriodic", {4, 3, 2}, {0, 0, 1}, 0.35, false, 3},
      {"UnevenBricksInTwoDimensions", {5, 3, 1}, {1, 0, 1}, 0.3, false, 2},
  };
}

inline std::string case_name(const testing::TestParamInfo<Case> &info)
{
  return info.param.name;
}

inline const HaloPeer *find_peer(const HaloStage &stage, int rank)
{
  for (const HaloPeer &peer : stage.peers)
    if (peer.rank == rank) return &peer;
  return nullptr;
}

class Grid {
 public:
  explicit Grid(const Case &c) : case_(c)
  {
    for (int dim = 0; dim < 3; dim++) {
      const int n = c.procgrid[dim];
      for (int i = 0; i <= n; i++) {
        const double even = static_cast<double>(i) / n;
        split_[dim].push_back(c.uniform || i == 0 || i == n ? even : std::pow(even, 1.7));
      }
      split_[dim].back() = 1.0;
    }
  }

  int size() const { return case_.procgrid[0] * case_.procgrid[1] * case_.procgrid[2]; }

  /** The rank at a location.  It is not the index of the location, so that a plan that mixes up
      location and rank fails. */
  int rank_of(int ix, int iy, int iz) const
  {
    const int index = (iz * case_.procgrid[1] + iy) * case_.procgrid[0] + ix;
    return size() - 1 - index;
  }

  HaloGeometry geometry(int rank) const
  {
    HaloGeometry g;
    const int index = size() - 1 - rank;
    g.dimension = case_.dimension;
    g.uniform = case_.uniform;
    g.periodicity = case_.periodicity;
    g.procgrid = case_.procgrid;
    g.myloc = {index % case_.procgrid[0], index / case_.procgrid[0] % case_.procgrid[1],
               index / case_.procgrid[0] / case_.procgrid[1]};
    g.boxlo = {-1.5, 0.25, 10.0};
    g.prd = {7.0, 9.0, 11.0};
    for (int dim = 0; dim < 3; dim++) {
      g.split[dim] = split_[dim].data();
      g.boxhi[dim] = g.boxlo[dim] + g.prd[dim];
      g.cutghost[dim] = case_.cutghost * g.prd[0];
    }
    return g;
  }

  std::vector<HaloPlan> half_plans() const
  {
    std::vector<HaloPlan> all;
    const RankMap ranks = rank_map();
    for (int rank = 0; rank < size(); rank++)
      all.push_back(HaloPlan::direct(geometry(rank), rank, ranks, true));
    return all;
  }

  std::vector<HaloPlan> plans(bool direct) const
  {
    std::vector<HaloPlan> all;
    const RankMap ranks = rank_map();
    for (int rank = 0; rank < size(); rank++)
      all.push_back(direct ? HaloPlan::direct(geometry(rank), rank, ranks)
                           : HaloPlan::staged(geometry(rank), rank, ranks));
    return all;
  }

  RankMap rank_map() const
  {
    return {case_.procgrid, [this](int x, int y, int z) {
              return rank_of(x, y, z);
            }};
  }

 private:
  Case case_;
  std::array<std::vector<double>, 3> split_;
};

}    // namespace TOFU_TEST

#endif
