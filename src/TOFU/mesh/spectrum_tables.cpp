// SPDX-License-Identifier: GPL-2.0-only

#include "spectrum_tables.h"

namespace TOFU_NS {

void SpectrumTables::set(const SpectrumShape &shape, const KspaceFactors &factors)
{
  const MeshBox &box = shape.layout.box;
  if (box.empty()) {
    *this = {};
    return;
  }
  const std::array<int, 3> &npoints = shape.npoints;
  const auto in_the_middle = [&](int dim, int index) {
    return 2 * index == npoints[dim];
  };
  for (int dim = 0; dim < 3; dim++) {
    k[dim].assign(factors.k[dim], factors.k[dim] + box.length(dim));
    if (npoints[dim] % 2 == 0 && box.lo[dim] <= npoints[dim] / 2 && npoints[dim] / 2 < box.hi[dim])
      k[dim][npoints[dim] / 2 - box.lo[dim]] = 0.0;
  }

  green.resize(box.npoints());
  weight.resize(box.npoints());
  virial.resize(box.npoints());
  std::size_t from = 0;
  for (int z = box.lo[2]; z < box.hi[2]; z++)
    for (int y = box.lo[1]; y < box.hi[1]; y++)
      for (int x = box.lo[0]; x < box.hi[0]; x++, from++) {
        const std::array<int, 3> point{x, y, z};
        const auto to = static_cast<std::size_t>(shape.layout.offset(point));
        const int half = point[shape.half_dim];
        const double points = half == 0 || in_the_middle(shape.half_dim, half) ? 1.0 : 2.0;
        const bool counts = shape.counted.first <= to && to < shape.counted.second;
        green[to] = factors.green[from];
        weight[to] = counts ? points : 0.0;

        // products of two components, of which one alone is in the middle, cancel

        const bool middle[3] = {in_the_middle(0, x), in_the_middle(1, y), in_the_middle(2, z)};
        const double *const v = factors.virial + 6 * from;
        virial[to] = {v[0],
                      v[1],
                      v[2],
                      middle[0] == middle[1] ? v[3] : 0.0,
                      middle[0] == middle[2] ? v[4] : 0.0,
                      middle[1] == middle[2] ? v[5] : 0.0};
      }
}

}    // namespace TOFU_NS
