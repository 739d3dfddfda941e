// SPDX-License-Identifier: GPL-2.0-only
//
// A rank of a grid with atoms, their swaps and links, for tests of what travels between owners and
// ghosts.

#ifndef TOFU_TEST_RANK_OF_GRID_H
#define TOFU_TEST_RANK_OF_GRID_H

#include "grid.h"
#include "rank_threads.h"

#include "halo/border_bins.h"
#include "halo/halo_exchange.h"

namespace TOFU_TEST {

class RankOfGrid {
 public:
  static constexpr int NLOCAL = 90;

  /** Ranks are threads: all of them call this at the same time. */
  RankOfGrid(const Grid &grid, const World &world) :
      rank(world.rank), geometry(grid.geometry(world.rank)),
      plan(HaloPlan::direct(geometry, world.rank, grid.rank_map())),
      transport(world.bootstrap, nullptr, world.options())
  {
    const std::vector<std::size_t> capacities(plan.neighbors.size(), Link::BLOCK);
    EXPECT_EQ(transport.connect(plan.neighbors, capacities, plan.hops).error, "");
    halo.bind(&plan, &transport);
    make_atoms();
    make_ghosts();
  }

  const int rank;
  const HaloGeometry geometry;
  HaloPlan plan;
  Transport transport;
  HaloExchange halo;
  std::vector<double> x;    // [nall][3] of ghosts not set
  int nall = NLOCAL;

 private:
  void make_atoms()
  {
    std::mt19937 random(100 + rank);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    for (int i = 0; i < NLOCAL; i++)
      for (int dim = 0; dim < 3; dim++) {
        const double lo = geometry.sub_lo(dim, geometry.myloc[dim]);
        const double hi = geometry.sub_hi(dim, geometry.myloc[dim]);
        x.push_back(lo + uniform(random) * (hi - lo));
      }
  }

  void make_ghosts()
  {
    const int nswaps = static_cast<int>(plan.swaps.size());
    halo.begin(nswaps);
    BorderBins().build(plan, {x.data(), NLOCAL, nullptr, geometry.cutghost.data(), 1},
                       halo.new_lists());
    std::vector<std::int64_t> counts(nswaps, 0);
    for (const int i : plan.stages[0].self) counts[i] = halo.nsent(i);
    halo.borders(
        plan.stages[0],
        [&](int i, Link &link) {
          const std::int64_t n = halo.nsent(i);
          link.append(&n, sizeof(n));
        },
        [&](int i, const std::byte *&cursor) {
          std::memcpy(&counts[i], cursor, sizeof(counts[i]));
          cursor += sizeof(counts[i]);
        },
        []() {});
    for (int i = 0; i < nswaps; i++) {
      halo.set_ghosts(i, static_cast<int>(counts[i]), nall);
      nall += static_cast<int>(counts[i]);
    }
    halo.count_atoms();
    x.resize(3 * nall);
  }
};

}    // namespace TOFU_TEST

#endif
