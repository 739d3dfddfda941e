// SPDX-License-Identifier: GPL-2.0-only

#include "triclinic_spectrum.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/mesh/triclinic_spectrum.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#ifndef TOFU_TRICLINIC_SPECTRUM_ONCE
#define TOFU_TRICLINIC_SPECTRUM_ONCE
namespace TOFU_NS {

/** What the points of a row have in common: the second and third dimension, and their images. */
struct TriclinicRow {
  int side = 0;          // of the arrays of the first dimension
  double width = 0.0;    // 1 / (4 g_ewald^2)
  double denominator = 0.0;
  std::array<double, 3> k{};                   // wave vector without the first dimension
  std::vector<std::array<double, 3>> shift;    // [images] to their wave vectors
  std::vector<double> weight;                  // [images]
};

/** Numbers of a row: Green's function, three and six products with it. */
struct TriclinicSums {
  static constexpr int NVALUES = 10;
  std::vector<double> values[NVALUES];    // [points]
};

}    // namespace TOFU_NS
#endif

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {
  namespace hn = hwy::HWY_NAMESPACE;

  // vectors of unknown length are no members of arrays or structures

  template <class D, class V> HWY_INLINE V scalar_product(D, V ax, V ay, V az, V bx, V by, V bz)
  {
    return hn::MulAdd(ax, bx, hn::MulAdd(ay, by, hn::Mul(az, bz)));
  }

  /** Sum over the images of as many points as there are lanes, with wave vectors k. */
  template <class D, class V>
  HWY_INLINE V sum_of_images(D d, const TriclinicTables &along, const TriclinicRow &row,
                             std::size_t i, V kx, V ky, V kz)
  {
    const auto width = hn::Set(d, -row.width);
    const int most = along.nimages / 2;
    auto sum = hn::Zero(d);
    for (int image = 0; image < along.nimages; image++) {
      const int period = image - most;
      auto others = hn::Zero(d);
      for (std::size_t j = 0; j < row.weight.size(); j++) {
        const auto &shift = row.shift[j];
        const V qx = hn::Add(kx, hn::Set(d, shift[0] + period * along.period[0]));
        const V qy = hn::Add(ky, hn::Set(d, shift[1] + period * along.period[1]));
        const V qz = hn::Add(kz, hn::Set(d, shift[2] + period * along.period[2]));
        const V qq = scalar_product(d, qx, qy, qz, qx, qy, qz);
        const V part = hn::Mul(hn::Div(scalar_product(d, kx, ky, kz, qx, qy, qz), qq),
                               hn::Exp(d, hn::Mul(width, qq)));
        others = hn::MulAdd(hn::Set(d, row.weight[j]), part, others);
      }
      const auto at = static_cast<std::size_t>(image) * along.n + i;
      sum = hn::MulAdd(hn::LoadU(d, &along.weight[row.side][at]), others, sum);
    }
    return sum;
  }

  /** As many points as there are lanes. */
  template <class D>
  HWY_INLINE void triclinic_points(D d, const TriclinicTables &along, const TriclinicRow &row,
                                   std::size_t i, TriclinicSums &to)
  {
    using V = hn::Vec<D>;
    constexpr double FOUR_PI = 12.5663706;    // as in LAMMPS
    const V wave = hn::LoadU(d, &along.wave[row.side][i]);
    const auto component = [&](int c) {
      return hn::MulAdd(wave, hn::Set(d, along.unit[c]), hn::Set(d, row.k[c]));
    };
    const V kx = component(0), ky = component(1), kz = component(2);
    const V kk = scalar_product(d, kx, ky, kz, kx, ky, kz);
    const V root = hn::Mul(hn::LoadU(d, &along.denominator[i]), hn::Set(d, row.denominator));
    const V sum = sum_of_images(d, along, row, i, kx, ky, kz);
    const auto none = hn::Eq(kk, hn::Zero(d));
    const V green = hn::IfThenZeroElse(
        none, hn::Div(hn::Mul(hn::Set(d, FOUR_PI), sum), hn::Mul(kk, hn::Mul(root, root))));
    const V minus =
        hn::IfThenZeroElse(none,
                           hn::Mul(hn::Mul(hn::Set(d, -2.0), green),
                                   hn::Add(hn::Div(hn::Set(d, 1.0), kk), hn::Set(d, row.width))));
    const auto store = [&](int value, V v) {
      hn::StoreU(v, d, &to.values[value][i]);
    };
    store(0, green);
    store(1, hn::Mul(green, kx));
    store(2, hn::Mul(green, ky));
    store(3, hn::Mul(green, kz));
    store(4, hn::MulAdd(minus, hn::Mul(kx, kx), green));
    store(5, hn::MulAdd(minus, hn::Mul(ky, ky), green));
    store(6, hn::MulAdd(minus, hn::Mul(kz, kz), green));
    store(7, hn::Mul(minus, hn::Mul(kx, ky)));
    store(8, hn::Mul(minus, hn::Mul(kx, kz)));
    store(9, hn::Mul(minus, hn::Mul(ky, kz)));
  }

  /** The points [first, last). */
  void triclinic_row(const TriclinicTables &along, const TriclinicRow &row, int first, int last,
                     TriclinicSums &to)
  {
    const hn::CappedTag<double, 8> d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    int i = first;
    for (; i + lanes <= last; i += lanes) triclinic_points(d, along, row, i, to);
    for (; i < last; i++) triclinic_points(hn::CappedTag<double, 1>(), along, row, i, to);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

HWY_EXPORT(triclinic_row);

namespace {

  constexpr double PI = 3.14159265358979323846;

  /** Wave vectors of one wave along each edge: rows of the inverse of the matrix of edges, times
      2 pi. */
  std::array<std::array<double, 3>, 3> reciprocal(const std::array<double, 6> &edges)
  {
    const auto [xx, yy, zz, yz, xz, xy] = edges;
    return {{{2.0 * PI / xx, -2.0 * PI * xy / (xx * yy),
              2.0 * PI * (xy * yz - yy * xz) / (xx * yy * zz)},
             {0.0, 2.0 * PI / yy, -2.0 * PI * yz / (yy * zz)},
             {0.0, 0.0, 2.0 * PI / zz}}};
  }

  /** Periods of the mesh on each side whose images count, by dimension. */
  std::array<int, 3> periods(const TriclinicMesh &mesh)
  {
    constexpr double SMALLEST = 1.0e-7;    // weight, as in LAMMPS
    const auto &[xx, yy, zz, yz, xz, xy] = mesh.edges;
    double reach[3];
    for (int dim = 0; dim < 3; dim++)
      reach[dim] = mesh.g_ewald / (PI * mesh.npoints[dim]) * std::pow(-std::log(SMALLEST), 0.25);
    return {static_cast<int>(xx * reach[0]),
            static_cast<int>(std::abs(xy) * reach[0] + yy * reach[1]),
            static_cast<int>(std::abs(xz) * reach[0] + std::abs(yz) * reach[1] + zz * reach[2])};
  }

  double power_of_sinc(double x, int power)
  {
    return x == 0.0 ? 1.0 : std::pow(std::sin(x) / x, power);
  }

  TriclinicTables tables_of(const TriclinicMesh &mesh, const SpectrumBlock &block, int dim)
  {
    TriclinicTables tables;
    const int npoints = mesh.npoints[dim], most = periods(mesh)[dim];
    tables.n = block.n[dim];
    tables.nimages = 2 * most + 1;
    tables.unit = reciprocal(mesh.edges)[dim];
    for (int c = 0; c < 3; c++) tables.period[c] = npoints * tables.unit[c];
    for (int i = 0; i < tables.n; i++) {
      const int index = block.first[dim] + i;
      const int wave = index - npoints * (2 * index / npoints);
      const double s = std::sin(PI * wave / npoints), ss = s * s;
      double sum = 0.0;
      for (int l = mesh.order - 1; l >= 0; l--) sum = mesh.denominator[l] + sum * ss;
      tables.denominator.push_back(sum);
      if (2 * index == npoints) tables.middle = i;
      tables.wave[0].push_back(wave);
      tables.wave[1].push_back(2 * index == npoints ? -wave : wave);
    }
    for (int side : {0, 1})
      for (int image = -most; image <= most; image++)
        for (double wave : tables.wave[side])
          tables.weight[side].push_back(
              power_of_sinc(PI * (wave + npoints * image) / npoints, 2 * mesh.order));
    return tables;
  }

  /** Row of the points i1 and i2 of the second and third dimension. */
  void fill_row(const TriclinicTables &second, const TriclinicTables &third, int i1, int i2,
                int side, TriclinicRow &row)
  {
    row.side = side;
    row.denominator = second.denominator[i1] * third.denominator[i2];
    for (int c = 0; c < 3; c++)
      row.k[c] = second.wave[side][i1] * second.unit[c] + third.wave[side][i2] * third.unit[c];
    row.shift.clear();
    row.weight.clear();
    for (int image1 = 0; image1 < second.nimages; image1++)
      for (int image2 = 0; image2 < third.nimages; image2++) {
        row.weight.push_back(second.weight[side][image1 * second.n + i1] *
                             third.weight[side][image2 * third.n + i2]);
        std::array<double, 3> shift;
        for (int c = 0; c < 3; c++)
          shift[c] = (image1 - second.nimages / 2) * second.period[c] +
              (image2 - third.nimages / 2) * third.period[c];
        row.shift.push_back(shift);
      }
  }

  void average(TriclinicSums &one, const TriclinicSums &other, int first, int last)
  {
    for (int value = 0; value < TriclinicSums::NVALUES; value++)
      for (int i = first; i < last; i++)
        one.values[value][i] = 0.5 * (one.values[value][i] + other.values[value][i]);
  }

  /** The row that begins at a point. */
  void store(const TriclinicSums &sums, int n, std::size_t at, const TriclinicFactors &to)
  {
    const auto &values = sums.values;
    std::copy_n(values[0].data(), n, to.green + at);
    for (int c = 0; c < 3; c++) std::copy_n(values[1 + c].data(), n, to.slope[c] + at);
    for (int i = 0; i < n; i++) {
      const double green = values[0][i], inverse = std::isnormal(green) ? 1.0 / green : 0.0;
      for (int j = 0; j < 6; j++) to.virial[6 * (at + i) + j] = inverse * values[4 + j][i];
    }
  }

}    // namespace

TriclinicSpectrum::TriclinicSpectrum(const TriclinicMesh &mesh, const SpectrumBlock &block) :
    g_ewald_(mesh.g_ewald)
{
  for (int i = 0; i < 3; i++) tables_[i] = tables_of(mesh, block, block.order[i]);
}

void TriclinicSpectrum::rows(int first, int last, const TriclinicFactors &to) const
{
  const auto &[along, second, third] = tables_;
  TriclinicRow row;
  TriclinicSums sums, others;
  for (auto *values : {&sums, &others})
    for (std::vector<double> &value : values->values) value.resize(along.n);
  row.width = 0.25 / (g_ewald_ * g_ewald_);
  for (int n = first; n < last; n++) {
    const int i1 = n % second.n, i2 = n / second.n;
    fill_row(second, third, i1, i2, 0, row);
    HWY_DYNAMIC_DISPATCH(triclinic_row)(along, row, 0, along.n, sums);
    const bool all = i1 == second.middle || i2 == third.middle;
    if (all || along.middle >= 0) {
      const int begin = all ? 0 : along.middle, end = all ? along.n : along.middle + 1;
      fill_row(second, third, i1, i2, 1, row);
      HWY_DYNAMIC_DISPATCH(triclinic_row)(along, row, begin, end, others);
      average(sums, others, begin, end);
    }
    store(sums, along.n, static_cast<std::size_t>(n) * along.n, to);
  }
}

}    // namespace TOFU_NS
#endif
