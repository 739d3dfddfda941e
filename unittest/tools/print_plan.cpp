// SPDX-License-Identifier: GPL-2.0-only
//
// Prints the plan of one rank of a grid of sub-boxes, for the comparison with the model of
// tools/tofu predict.
//
//   print_plan PATTERN NX NY NZ LX LY LZ CUT X Y Z PX PY PZ [WALLS]
//
// PATTERN is full, half or staged; X Y Z is the place of the rank; PX PY PZ are 1 where the box is
// periodic.  WALLS are NX+1, NY+1 and NZ+1 parts of the box; without them sub-boxes are equal.
// Lines: "link RANK",
// "swap OFFSET FRACTION", "message STAGE RANK SWAPS"; ranks are numbered along z first.

#include "halo/halo_plan.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace TOFU_NS;

int main(int argc, char **argv)
{
  if (argc < 15) return 1;
  int next = 15;
  HaloGeometry geometry;
  std::array<std::vector<double>, 3> splits;
  for (int dim = 0; dim < 3; dim++) {
    const int n = std::atoi(argv[2 + dim]);
    geometry.procgrid[dim] = n;
    geometry.myloc[dim] = std::atoi(argv[9 + dim]);
    geometry.boxlo[dim] = -1.5;
    geometry.prd[dim] = std::atof(argv[5 + dim]);
    geometry.boxhi[dim] = geometry.boxlo[dim] + geometry.prd[dim];
    geometry.cutghost[dim] = std::atof(argv[8]);
    geometry.periodicity[dim] = std::atoi(argv[12 + dim]);
    geometry.uniform = argc == 15;
    for (int i = 0; i <= n; i++) {
      const double equal = static_cast<double>(i) / n;
      splits[dim].push_back(geometry.uniform ? equal : std::atof(argv[next++]));
    }
    geometry.split[dim] = splits[dim].data();
  }
  const std::array<int, 3> &grid = geometry.procgrid, &loc = geometry.myloc;
  const auto rank_of = [&](int x, int y, int z) {
    return (x * grid[1] + y) * grid[2] + z;
  };
  const RankMap ranks(grid, rank_of);
  const int me = rank_of(loc[0], loc[1], loc[2]);
  const HaloPlan plan = std::strcmp(argv[1], "staged") == 0
      ? HaloPlan::staged(geometry, me, ranks)
      : HaloPlan::direct(geometry, me, ranks, std::strcmp(argv[1], "half") == 0);

  for (const int rank : plan.neighbors) std::printf("link %d\n", rank);
  for (const HaloSwap &swap : plan.swaps)
    std::printf("swap %d %d %d %.17g\n", swap.offset[0], swap.offset[1], swap.offset[2],
                swap.sent_fraction);
  for (std::size_t s = 0; s < plan.stages.size(); s++)
    for (const HaloPeer &peer : plan.stages[s].peers) {
      if (peer.sends.empty()) continue;
      std::printf("message %zu %d", s, peer.rank);
      for (const int swap : peer.sends) std::printf(" %d", swap);
      std::printf("\n");
    }
  return 0;
}
