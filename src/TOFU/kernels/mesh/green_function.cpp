// SPDX-License-Identifier: GPL-2.0-only

#include "green_function.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/mesh/green_function.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cmath>
#include <cstddef>

#ifndef TOFU_GREEN_FUNCTION_ONCE
#define TOFU_GREEN_FUNCTION_ONCE
namespace TOFU_NS {

/** What the points of a row have in common: the second and third dimension, and images of these. */
struct GreenRow {
  double kk = 0.0, denominator = 0.0;
  std::vector<double> kq, qq, weight;    // [images]
};

}    // namespace TOFU_NS
#endif

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {
  namespace hn = hwy::HWY_NAMESPACE;

  /** As many points as there are lanes. */
  template <class D>
  HWY_INLINE void green_points(D d, const GreenTables &along, const GreenRow &row, std::size_t i,
                               double *green)
  {
    const std::size_t nimages = row.kq.size();
    auto sum = hn::Zero(d);
    for (int image = 0; image < along.nimages; image++) {
      const std::size_t at = static_cast<std::size_t>(image) * along.n + i;
      const auto kq = hn::LoadU(d, &along.kq[at]), qq = hn::LoadU(d, &along.qq[at]);
      auto others = hn::Zero(d);
      for (std::size_t j = 0; j < nimages; j++)
        others = hn::MulAdd(
            hn::Set(d, row.weight[j]),
            hn::Div(hn::Add(kq, hn::Set(d, row.kq[j])), hn::Add(qq, hn::Set(d, row.qq[j]))),
            others);
      sum = hn::MulAdd(hn::LoadU(d, &along.weight[at]), others, sum);
    }
    constexpr double FOUR_PI = 12.5663706;    // as in LAMMPS
    const auto k = hn::LoadU(d, &along.k[i]);
    const auto kk = hn::MulAdd(k, k, hn::Set(d, row.kk));
    const auto root = hn::Mul(hn::LoadU(d, &along.denominator[i]), hn::Set(d, row.denominator));
    const auto value = hn::Div(hn::Mul(hn::Set(d, FOUR_PI), sum), hn::Mul(kk, hn::Mul(root, root)));
    hn::StoreU(hn::IfThenZeroElse(hn::Eq(kk, hn::Zero(d)), value), d, green + i);
  }

  void green_row(const GreenTables &along, const GreenRow &row, double *green)
  {
    const hn::CappedTag<double, 8> d;
    const std::size_t lanes = hn::Lanes(d), n = along.n;
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes) green_points(d, along, row, i, green);
    for (; i < n; i++) green_points(hn::CappedTag<double, 1>(), along, row, i, green);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

HWY_EXPORT(green_row);

namespace {

  constexpr double PI = 3.14159265358979323846;

  /** Periods of the mesh on each side whose images count. */
  int periods(const GreenDimension &dimension, double g_ewald)
  {
    constexpr double SMALLEST = 1.0e-7;    // weight, as in LAMMPS
    return static_cast<int>(g_ewald * dimension.length / (PI * dimension.npoints) *
                            std::pow(-std::log(SMALLEST), 0.25));
  }

  double power_of_sinc(double x, int power)
  {
    return x == 0.0 ? 1.0 : std::pow(std::sin(x) / x, power);
  }

  double polynomial(const double *coefficients, int n, double x)
  {
    double sum = 0.0;
    for (int i = n - 1; i >= 0; i--) sum = coefficients[i] + sum * x;
    return sum;
  }

  GreenTables tables_of(const GreenDimension &dimension, int order, double g_ewald,
                        const double *denominator)
  {
    GreenTables tables;
    const int most = periods(dimension, g_ewald), npoints = dimension.npoints;
    const double unit = 2.0 * PI / dimension.length;
    tables.n = dimension.n;
    tables.nimages = 2 * most + 1;
    for (int i = 0; i < dimension.n; i++) {
      const int index = dimension.first + i, wave = index - npoints * (2 * index / npoints);
      const double s = std::sin(PI * wave / npoints);
      tables.k.push_back(unit * wave);
      tables.denominator.push_back(polynomial(denominator, order, s * s));
    }
    for (int image = -most; image <= most; image++)
      for (int i = 0; i < dimension.n; i++) {
        const int index = dimension.first + i, wave = index - npoints * (2 * index / npoints);
        const double q = unit * (wave + npoints * image), width = q / g_ewald;
        tables.kq.push_back(tables.k[i] * q);
        tables.qq.push_back(q * q);
        tables.weight.push_back(std::exp(-0.25 * width * width) *
                                power_of_sinc(PI * (wave + npoints * image) / npoints, 2 * order));
      }
    return tables;
  }

  /** Row of the points i1 and i2 of the second and third dimension. */
  void fill_row(const GreenTables &second, const GreenTables &third, int i1, int i2, GreenRow &row)
  {
    row.kk = second.k[i1] * second.k[i1] + third.k[i2] * third.k[i2];
    row.denominator = second.denominator[i1] * third.denominator[i2];
    row.kq.clear();
    row.qq.clear();
    row.weight.clear();
    for (int image1 = 0; image1 < second.nimages; image1++)
      for (int image2 = 0; image2 < third.nimages; image2++) {
        const int at1 = image1 * second.n + i1, at2 = image2 * third.n + i2;
        row.kq.push_back(second.kq[at1] + third.kq[at2]);
        row.qq.push_back(second.qq[at1] + third.qq[at2]);
        row.weight.push_back(second.weight[at1] * third.weight[at2]);
      }
  }

}    // namespace

GreenFunction::GreenFunction(const std::array<GreenDimension, 3> &dimensions, int order,
                             double g_ewald, const double *denominator)
{
  for (int dim = 0; dim < 3; dim++)
    tables_[dim] = tables_of(dimensions[dim], order, g_ewald, denominator);
}

void GreenFunction::rows(int first, int last, double *green) const
{
  GreenRow row;
  for (int i = first; i < last; i++) {
    fill_row(tables_[1], tables_[2], i % tables_[1].n, i / tables_[1].n, row);
    HWY_DYNAMIC_DISPATCH(green_row)
    (tables_[0], row, green + static_cast<std::size_t>(i) * tables_[0].n);
  }
}

}    // namespace TOFU_NS
#endif
