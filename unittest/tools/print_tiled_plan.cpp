// SPDX-License-Identifier: GPL-2.0-only
//
// Prints the plans of all ranks of a tiled layout, for the comparison with the model of tools/tofu
// predict.
//
//   print_tiled_plan PATTERN LX LY LZ CUT PX PY PZ BOUNDS
//
// PATTERN is full or half; PX PY PZ are 1 where the box is periodic; BOUNDS are the lower and the
// upper corner of each rank's sub-box as parts of the box.  Lines:
// "message FROM TO SWAPS FRACTION", "own RANK RANK SWAPS FRACTION"; fractions are volumes as parts
// of the box.

#include "halo/tiled_plan.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace TOFU_NS;

int main(int argc, char **argv)
{
  if (argc < 15) return 1;
  TiledGeometry geometry;
  for (int dim = 0; dim < 3; dim++) {
    geometry.box.boxlo[dim] = 0.0;
    geometry.box.prd[dim] = geometry.box.boxhi[dim] = std::atof(argv[2 + dim]);
    geometry.box.cutghost[dim] = std::atof(argv[5]);
    geometry.box.periodicity[dim] = std::atoi(argv[6 + dim]);
  }
  std::vector<TileBox> boxes;
  for (int i = 9; i + 5 < argc; i += 6) {
    TileBox box;
    for (int dim = 0; dim < 3; dim++) {
      box.lo[dim] = std::atof(argv[i + dim]);
      box.hi[dim] = std::atof(argv[i + 3 + dim]);
    }
    boxes.push_back(box);
  }
  const Tiles tiles(boxes);
  geometry.tiles = &tiles;

  for (int me = 0; me < tiles.nranks(); me++) {
    const HaloPlan plan = tiled_plan(geometry, me, std::strcmp(argv[1], "half") == 0);
    const auto print = [&](const char *kind, int rank, const std::vector<int> &swaps) {
      double fraction = 0.0;
      for (const int swap : swaps) fraction += plan.swaps[swap].sent_fraction;
      if (!swaps.empty())
        std::printf("%s %d %d %zu %.17g\n", kind, me, rank, swaps.size(), fraction);
    };
    for (const HaloPeer &peer : plan.stages[0].peers) print("message", peer.rank, peer.sends);
    print("own", me, plan.stages[0].self);
  }
  return 0;
}
