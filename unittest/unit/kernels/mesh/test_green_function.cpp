// SPDX-License-Identifier: GPL-2.0-only
//
// Green's function against sums over images in long double, one after the other.

#include "unit/kernels/simd/instruction_sets.h"

#include "kernels/mesh/green_function.h"

using namespace TOFU_NS;

namespace {

using Real = long double;
constexpr Real PI = 3.141592653589793238462643383279503L;
constexpr double COEFFICIENTS[5] = {1.0, -1.5, 0.9, -0.2, 0.03};

struct System {
  std::array<GreenDimension, 3> dimensions;
  int order;
  double g_ewald;
};

int wave(const GreenDimension &dimension, int index)
{
  return 2 * index >= dimension.npoints ? index - dimension.npoints : index;
}

Real sinc_power(Real x, int power)
{
  return x == 0.0L ? 1.0L : std::pow(std::sin(x) / x, static_cast<Real>(power));
}

/** Green's function of one point. */
Real green(const System &system, const std::array<int, 3> &index)
{
  Real kk = 0.0L, root = 1.0L, k[3];
  int most[3];
  for (int dim = 0; dim < 3; dim++) {
    const GreenDimension &one = system.dimensions[dim];
    k[dim] = 2.0L * PI / one.length * wave(one, index[dim]);
    kk += k[dim] * k[dim];
    const Real s = std::sin(PI * wave(one, index[dim]) / one.npoints);
    Real sum = 0.0L;
    for (int i = 0; i < system.order; i++) sum += COEFFICIENTS[i] * std::pow(s, 2.0L * i);
    root *= sum;
    most[dim] = static_cast<int>(system.g_ewald * one.length / (PI * one.npoints) *
                                 std::pow(-std::log(1.0e-7L), 0.25L));
  }
  if (kk == 0.0L) return 0.0L;

  Real sum = 0.0L;
  for (int a = -most[0]; a <= most[0]; a++)
    for (int b = -most[1]; b <= most[1]; b++)
      for (int c = -most[2]; c <= most[2]; c++) {
        const int image[3] = {a, b, c};
        Real kq = 0.0L, qq = 0.0L, weight = 1.0L;
        for (int dim = 0; dim < 3; dim++) {
          const GreenDimension &one = system.dimensions[dim];
          const int n = wave(one, index[dim]) + one.npoints * image[dim];
          const Real q = 2.0L * PI / one.length * n;
          kq += k[dim] * q;
          qq += q * q;
          weight *= std::exp(-0.25L * (q / system.g_ewald) * (q / system.g_ewald)) *
              sinc_power(PI * n / one.npoints, 2 * system.order);
        }
        sum += kq / qq * weight;
      }
  return 12.5663706L / kk * sum / (root * root);
}

void compare(const System &system)
{
  const auto &[x, y, z] = system.dimensions;
  const GreenFunction function(system.dimensions, system.order, system.g_ewald, COEFFICIENTS);
  ASSERT_EQ(function.nrows(), y.n * z.n);
  std::vector<double> found(static_cast<std::size_t>(x.n) * y.n * z.n, -1.0);
  function.rows(function.nrows() / 2, function.nrows(), found.data());
  function.rows(0, function.nrows() / 2, found.data());
  std::size_t at = 0;
  for (int c = z.first; c < z.first + z.n; c++)
    for (int b = y.first; b < y.first + y.n; b++)
      for (int a = x.first; a < x.first + x.n; a++, at++) {
        const auto expected = static_cast<double>(green(system, {a, b, c}));
        EXPECT_NEAR(found[at], expected, 1e-14 * std::fabs(expected)) << a << " " << b << " " << c;
      }
}

}    // namespace

TEST(GreenFunction, PointsAreSumsOverImagesForAllBlocksOfTheSpectrum)
{
  const System systems[] = {
      {{GreenDimension{12, 20.0, 0, 12}, {10, 17.0, 0, 10}, {9, 15.0, 0, 5}}, 5, 0.3},
      {{GreenDimension{27, 30.0, 3, 24}, {8, 33.0, 4, 2}, {6, 10.0, 5, 1}}, 3, 0.4},
      {{GreenDimension{5, 20.0, 0, 5}, {4, 20.0, 0, 3}, {3, 30.0, 1, 2}},
       2,
       0.5},    // images: 3, 5, 15
      {{GreenDimension{16, 20.0, 0, 0}, {16, 20.0, 0, 16}, {16, 30.0, 0, 16}}, 5, 0.3}};
  TOFU_TEST::for_each_instruction_set([&] {
    for (const System &system : systems) {
      SCOPED_TRACE("points along x: " + std::to_string(system.dimensions[0].n));
      compare(system);
    }
  });
}
