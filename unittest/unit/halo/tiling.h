// SPDX-License-Identifier: GPL-2.0-only
//
// All ranks of a tiled layout at once, cut by random planes as recursive bisection cuts.

#ifndef TOFU_TEST_TILING_H
#define TOFU_TEST_TILING_H

#include "unit/testing.h"

#include "halo/tiled_plan.h"

namespace TOFU_TEST {

using namespace TOFU_NS;

struct TilingCase {
  int nranks;
  std::array<int, 3> periodicity;
  double cutghost;    // in box lengths of x
  int dimension;
  unsigned seed;
};

inline std::string tiling_name(const testing::TestParamInfo<TilingCase> &info)
{
  const TilingCase &c = info.param;
  std::string name = std::to_string(c.nranks) + "Ranks" + std::to_string(c.dimension) + "d";
  for (int periodic : c.periodicity) name += periodic ? "p" : "f";
  return name + "Cut" + std::to_string(static_cast<int>(100 * c.cutghost)) + "Seed" +
      std::to_string(c.seed);
}

class Tiling {
 public:
  explicit Tiling(const TilingCase &c) : case_(c), tiles_(cut(c)) {}

  int size() const { return case_.nranks; }
  int dimension() const { return case_.dimension; }
  const Tiles &tiles() const { return tiles_; }

  TiledGeometry geometry() const
  {
    TiledGeometry g;
    g.tiles = &tiles_;
    g.box.dimension = case_.dimension;
    g.box.periodicity = case_.periodicity;
    g.box.boxlo = {-1.5, 0.25, 10.0};
    g.box.prd = {7.0, 9.0, 11.0};
    for (int dim = 0; dim < 3; dim++) {
      g.box.boxhi[dim] = g.box.boxlo[dim] + g.box.prd[dim];
      g.box.cutghost[dim] = case_.cutghost * g.box.prd[0];
    }
    return g;
  }

  std::vector<HaloPlan> plans(bool half) const
  {
    std::vector<HaloPlan> all;
    for (int rank = 0; rank < size(); rank++) all.push_back(tiled_plan(geometry(), rank, half));
    return all;
  }

 private:
  static std::vector<TileBox> cut(const TilingCase &c)
  {
    std::vector<TileBox> boxes(c.nranks, {{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}});
    std::mt19937 random(c.seed);
    cut_range(boxes, 0, c.nranks - 1, c.dimension, random);
    return boxes;
  }

  static void cut_range(std::vector<TileBox> &boxes, int first, int last, int dimension,
                        std::mt19937 &random)
  {
    if (first == last) return;
    const int middle = first + (last - first) / 2 + 1, dim = static_cast<int>(random() % dimension);
    const double at = std::uniform_real_distribution<double>(0.2, 0.8)(random);
    const double face = boxes[first].lo[dim] + at * (boxes[first].hi[dim] - boxes[first].lo[dim]);
    for (int rank = first; rank <= last; rank++)
      (rank < middle ? boxes[rank].hi : boxes[rank].lo)[dim] = face;
    cut_range(boxes, first, middle - 1, dimension, random);
    cut_range(boxes, middle, last, dimension, random);
  }

  TilingCase case_;
  Tiles tiles_;
};

}    // namespace TOFU_TEST

#endif
