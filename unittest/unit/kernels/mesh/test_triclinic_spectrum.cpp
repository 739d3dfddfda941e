// SPDX-License-Identifier: GPL-2.0-only
//
// Factors of the spectrum of a triclinic box against sums in long double over whole spectra, in
// which a point and its conjugate have factors of their own.

#include "unit/kernels/simd/instruction_sets.h"

#include "kernels/mesh/triclinic_spectrum.h"

#include <iterator>

using namespace TOFU_NS;

namespace {

using Real = long double;
constexpr Real PI = 3.141592653589793238462643383279503L;
constexpr double COEFFICIENTS[5] = {1.0, -1.5, 0.9, -0.2, 0.03};

/** Green's function and its products of one point. */
struct Point {
  Real green = 0.0L;
  std::array<Real, 3> slope{};
  std::array<Real, 6> virial{};    // times green
  // of the same values, if no terms canceled others

  Real green_size = 0.0L, slope_size = 0.0L, virial_size = 0.0L;
};

/** The vector that a number of waves along each edge makes: its product with edge `dim` is 2 pi
    times the number of waves there. */
std::array<Real, 3> wave_vector(const std::array<double, 6> &edges, const std::array<int, 3> &waves)
{
  const auto [xx, yy, zz, yz, xz, xy] = edges;
  std::array<Real, 3> k;
  k[0] = 2.0L * PI * waves[0] / xx;
  k[1] = (2.0L * PI * waves[1] - xy * k[0]) / yy;
  k[2] = (2.0L * PI * waves[2] - xz * k[0] - yz * k[1]) / zz;
  return k;
}

Real product(const std::array<Real, 3> &a, const std::array<Real, 3> &b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Real sinc_power(Real x, int power)
{
  return x == 0.0L ? 1.0L : std::pow(std::sin(x) / x, static_cast<Real>(power));
}

/** As PPPM has it: the number of waves is -npoints/2 at half the points. */
Point point_of_whole_spectrum(const TriclinicMesh &mesh, const std::array<int, 3> &index,
                              const std::array<int, 3> &most)
{
  std::array<int, 3> waves;
  Real root = 1.0L;
  for (int dim = 0; dim < 3; dim++) {
    const int n = mesh.npoints[dim];
    waves[dim] = 2 * index[dim] >= n ? index[dim] - n : index[dim];
    const Real s = std::sin(PI * waves[dim] / n);
    Real sum = 0.0L;
    for (int i = 0; i < mesh.order; i++) sum += COEFFICIENTS[i] * std::pow(s, 2.0L * i);
    root *= sum;
  }
  const std::array<Real, 3> k = wave_vector(mesh.edges, waves);
  const Real kk = product(k, k);
  if (kk == 0.0L) return {};

  Real sum = 0.0L, size = 0.0L;
  for (int a = -most[0]; a <= most[0]; a++)
    for (int b = -most[1]; b <= most[1]; b++)
      for (int c = -most[2]; c <= most[2]; c++) {
        const int image[3] = {a, b, c};
        std::array<int, 3> all;
        Real weight = 1.0L;
        for (int dim = 0; dim < 3; dim++) {
          all[dim] = waves[dim] + mesh.npoints[dim] * image[dim];
          weight *= sinc_power(PI * all[dim] / mesh.npoints[dim], 2 * mesh.order);
        }
        const std::array<Real, 3> q = wave_vector(mesh.edges, all);
        const Real qq = product(q, q);
        const Real term =
            product(k, q) / qq * weight * std::exp(-0.25L * qq / mesh.g_ewald / mesh.g_ewald);
        sum += term;
        size += std::fabs(term);
      }
  Point point;
  point.green = 12.5663706L / kk * sum / (root * root);
  point.green_size = 12.5663706L / kk * size / (root * root);
  point.slope_size = point.green_size * std::sqrt(kk);
  point.virial_size = point.green_size * (3.0L + 0.5L * kk / mesh.g_ewald / mesh.g_ewald);
  const Real minus = -2.0L * point.green * (1.0L / kk + 0.25L / mesh.g_ewald / mesh.g_ewald);
  const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  for (int dim = 0; dim < 3; dim++) point.slope[dim] = point.green * k[dim];
  for (int j = 0; j < 6; j++)
    point.virial[j] = (j < 3 ? point.green : 0.0L) + minus * k[pairs[j][0]] * k[pairs[j][1]];
  return point;
}

/** What a real field gets from a point and its conjugate: the even part of even factors and the
    odd part of odd ones. */
Point point_of_half_spectrum(const TriclinicMesh &mesh, const std::array<int, 3> &index,
                             const std::array<int, 3> &most)
{
  std::array<int, 3> conjugate;
  for (int dim = 0; dim < 3; dim++)
    conjugate[dim] = (mesh.npoints[dim] - index[dim]) % mesh.npoints[dim];
  Point point = point_of_whole_spectrum(mesh, index, most);
  const Point other = point_of_whole_spectrum(mesh, conjugate, most);
  point.green = 0.5L * (point.green + other.green);
  point.green_size = std::max(point.green_size, other.green_size);
  point.slope_size = std::max(point.slope_size, other.slope_size);
  point.virial_size = std::max(point.virial_size, other.virial_size);
  for (int dim = 0; dim < 3; dim++) point.slope[dim] = 0.5L * (point.slope[dim] - other.slope[dim]);
  for (int j = 0; j < 6; j++) point.virial[j] = 0.5L * (point.virial[j] + other.virial[j]);
  return point;
}

struct Case {
  TriclinicMesh mesh;
  SpectrumBlock block;
  std::array<int, 3> images;    // periods of the mesh on each side
};

/** Far out in the spectrum exponentials have errors of some ten digits in the last place. */
void compare(const Case &one)
{
  const auto &[order, first, n] = one.block;
  const TriclinicSpectrum spectrum(one.mesh, one.block);
  ASSERT_EQ(spectrum.nrows(), n[order[1]] * n[order[2]]);
  const std::size_t npoints = static_cast<std::size_t>(n[0]) * n[1] * n[2];
  std::vector<double> green(npoints, -1.0), virial(6 * npoints, -1.0), slope[3];
  for (auto &component : slope) component.assign(npoints, -1.0);
  const TriclinicFactors to{
      green.data(), {slope[0].data(), slope[1].data(), slope[2].data()}, virial.data()};
  spectrum.rows(spectrum.nrows() / 2, spectrum.nrows(), to);
  spectrum.rows(0, spectrum.nrows() / 2, to);

  std::size_t at = 0;
  std::array<int, 3> index;
  for (int c = 0; c < n[order[2]]; c++)
    for (int b = 0; b < n[order[1]]; b++)
      for (int a = 0; a < n[order[0]]; a++, at++) {
        index[order[0]] = first[order[0]] + a;
        index[order[1]] = first[order[1]] + b;
        index[order[2]] = first[order[2]] + c;
        const Point expected = point_of_half_spectrum(one.mesh, index, one.images);
        SCOPED_TRACE(std::to_string(index[0]) + " " + std::to_string(index[1]) + " " +
                     std::to_string(index[2]));
        EXPECT_NEAR(green[at], expected.green, 3e-14 * expected.green_size);
        for (int dim = 0; dim < 3; dim++)
          EXPECT_NEAR(slope[dim][at], expected.slope[dim], 3e-14 * expected.slope_size);
        for (int j = 0; j < 6; j++)
          EXPECT_NEAR(green[at] * virial[6 * at + j], expected.virial[j],
                      3e-14 * expected.virial_size);
      }
}

}    // namespace

TEST(TriclinicSpectrum, PointsAreAveragesOverWavesAndTheirOppositesForAllBlocks)
{
  const std::array<double, 6> box{20.0, 17.0, 15.0, -6.0, 3.0, 8.0},
      straight{20.0, 17.0, 15.0, 0.0, 0.0, 0.0}, wide{20.0, 19.5, 14.0, -5.0, 7.0, 8.0};
  const Case cases[] = {
      {{{12, 10, 9}, box, 5, 0.3, COEFFICIENTS}, {{0, 1, 2}, {0, 0, 0}, {7, 10, 9}}, {0, 0, 0}},
      {{{12, 10, 9}, straight, 5, 0.3, COEFFICIENTS}, {{2, 0, 1}, {2, 5, 0}, {9, 1, 9}}, {0, 0, 0}},
      {{{8, 27, 6}, box, 3, 0.4, COEFFICIENTS}, {{1, 2, 0}, {4, 3, 3}, {2, 24, 1}}, {0, 0, 0}},
      {{{5, 4, 3}, wide, 2, 0.5, COEFFICIENTS}, {{2, 1, 0}, {0, 0, 0}, {5, 3, 3}}, {1, 2, 2}},
      {{{16, 4, 4}, box, 4, 0.5, COEFFICIENTS}, {{0, 2, 1}, {0, 1, 2}, {16, 2, 1}}, {0, 1, 1}},
      {{{16, 4, 4}, box, 4, 0.5, COEFFICIENTS}, {{0, 2, 1}, {0, 1, 2}, {0, 2, 1}}, {0, 1, 1}}};
  TOFU_TEST::for_each_instruction_set([&] {
    for (std::size_t number = 0; number < std::size(cases); number++) {
      SCOPED_TRACE("case " + std::to_string(number));
      compare(cases[number]);
    }
  });
}
