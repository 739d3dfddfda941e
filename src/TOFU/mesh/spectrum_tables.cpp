// SPDX-License-Identifier: GPL-2.0-only

#include "spectrum_tables.h"

namespace TOFU_NS {

static bool in_the_middle(const SpectrumShape &shape, int dim, int index)
{
  return 2 * index == shape.npoints[dim];
}

void SpectrumTables::set(const SpectrumShape &shape, const KspaceFactors &factors,
                         const Parts &parts)
{
  const MeshBox &box = shape.layout.box;
  if (box.empty()) {
    *this = {};
    return;
  }
  for (int dim = 0; dim < 3; dim++) {
    slope[dim].clear();
    k[dim].assign(factors.k[dim], factors.k[dim] + box.length(dim));
    for (int index = box.lo[dim]; index < box.hi[dim]; index++)
      if (in_the_middle(shape, dim, index)) k[dim][index - box.lo[dim]] = 0.0;
  }

  green.resize(box.npoints());
  weight.resize(box.npoints());
  virial.resize(box.npoints());
  parts.share(box.length(1) * box.length(2), [&](int, int first, int last) {
    for (int row = first; row < last; row++)
      set_row(shape, factors, box.lo[1] + row % box.length(1), box.lo[2] + row / box.length(1));
  });
}

void SpectrumTables::set_row(const SpectrumShape &shape, const KspaceFactors &factors, int y, int z)
{
  const MeshBox &box = shape.layout.box;
  std::size_t from =
      static_cast<std::size_t>(box.length(0)) * ((z - box.lo[2]) * box.length(1) + (y - box.lo[1]));
  for (int x = box.lo[0]; x < box.hi[0]; x++, from++) {
    const std::array<int, 3> point{x, y, z};
    const auto to = static_cast<std::size_t>(shape.layout.offset(point));
    green[to] = factors.green[from];
    set_weight(shape, point, to);

    // products of two components, of which one alone is in the middle, cancel

    const bool middle[3] = {in_the_middle(shape, 0, x), in_the_middle(shape, 1, y),
                            in_the_middle(shape, 2, z)};
    const double *const v = factors.virial + 6 * from;
    virial[to] = {v[0],
                  v[1],
                  v[2],
                  middle[0] == middle[1] ? v[3] : 0.0,
                  middle[0] == middle[2] ? v[4] : 0.0,
                  middle[1] == middle[2] ? v[5] : 0.0};
  }
}

void SpectrumTables::set_weight(const SpectrumShape &shape, const std::array<int, 3> &point,
                                std::size_t to)
{
  const int half = point[shape.half_dim];
  const double points = half == 0 || in_the_middle(shape, shape.half_dim, half) ? 1.0 : 2.0;
  const bool counts = shape.counted.first <= to && to < shape.counted.second;
  weight[to] = counts ? points : 0.0;
}

void SpectrumTables::set(const SpectrumShape &shape, const TriclinicMesh &mesh, const Parts &parts)
{
  const MeshBox &box = shape.layout.box;
  if (box.empty()) {
    *this = {};
    return;
  }
  green.resize(box.npoints());
  weight.resize(box.npoints());
  virial.resize(box.npoints());
  for (int dim = 0; dim < 3; dim++) {
    k[dim].clear();
    slope[dim].resize(box.npoints());
  }
  const std::array<int, 3> order = shape.layout.order;
  const int length[3] = {box.length(order[0]), box.length(order[1]), box.length(order[2])};
  const TriclinicSpectrum spectrum(mesh,
                                   {order, box.lo, {box.length(0), box.length(1), box.length(2)}});
  const TriclinicFactors factors{
      green.data(), {slope[0].data(), slope[1].data(), slope[2].data()}, virial[0].data()};
  parts.share(spectrum.nrows(), [&](int, int first, int last) {
    spectrum.rows(first, last, factors);
    for (int row = first; row < last; row++) {
      std::array<int, 3> point;
      point[order[1]] = box.lo[order[1]] + row % length[1];
      point[order[2]] = box.lo[order[2]] + row / length[1];
      const std::size_t begin = static_cast<std::size_t>(row) * length[0];
      for (int i = 0; i < length[0]; i++) {
        point[order[0]] = box.lo[order[0]] + i;
        set_weight(shape, point, begin + i);
      }
    }
  });
}

}    // namespace TOFU_NS
