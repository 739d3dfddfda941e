// SPDX-License-Identifier: GPL-2.0-only
//
// Spectra between the transforms against plain loops, for rows and ranges of all lengths.

#include "unit/kernels/simd/instruction_sets.h"

#include "kernels/mesh/poisson.h"

#include <complex>

using namespace TOFU_NS;

namespace {

/** A random spectrum with random factors. */
template <class Real> struct System {
  std::array<int, 3> n;
  int npoints;
  std::vector<std::complex<Real>> density;
  std::vector<double> green, weight, vg, k[3];

  explicit System(std::array<int, 3> n_in) : n(n_in), npoints(n[0] * n[1] * n[2])
  {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int i = 0; i < npoints; i++) {
      density.emplace_back(static_cast<Real>(uniform(random)), static_cast<Real>(uniform(random)));
      green.push_back(uniform(random));
      weight.push_back(1.0 + static_cast<double>(random() % 2));
      for (int j = 0; j < 6; j++) vg.push_back(uniform(random));
    }
    for (int dim = 0; dim < 3; dim++)
      for (int i = 0; i < n[dim]; i++) k[dim].push_back(uniform(random));
  }

  const Real *numbers() const { return reinterpret_cast<const Real *>(density.data()); }
};

template <class Real> Real *numbers(std::vector<std::complex<Real>> &spectrum)
{
  return reinterpret_cast<Real *>(spectrum.data());
}

/** Allowed error of numbers of that size. */
template <class Real> double tolerance(double size)
{
  return 4.0 * size * std::numeric_limits<Real>::epsilon();
}

template <class Real> class Poisson : public testing::Test {
};

using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(Poisson, Reals);

/** Values are added to those in the sums, and without virial only the energy changes. */
TYPED_TEST(Poisson, EnergyAndVirialAreSumsOverTheRange)
{
  const System<TypeParam> system({9, 7, 5});
  TOFU_TEST::for_each_instruction_set([&] {
    for (bool virial : {false, true})
      for (std::array<int, 2> range :
           {std::array<int, 2>{0, 0}, {0, 1}, {3, 66}, {5, 133}, {17, 16 + 64}, {0, 315}}) {
        std::vector<double> expected(7, 1.5), sums = expected;
        for (int i = range[0]; i < range[1]; i++) {
          const std::complex<double> rho(system.density[i]);
          const double energy = system.weight[i] * system.green[i] * std::norm(rho);
          expected[0] += energy;
          for (int j = 0; virial && j < 6; j++) expected[1 + j] += energy * system.vg[6 * i + j];
        }
        const SpectrumFactors factors{system.green.data(), system.weight.data(),
                                      virial ? system.vg.data() : nullptr};
        add_spectrum_sums(factors, system.numbers(), range[0], range[1], sums.data());
        for (int j = 0; j < 7; j++)
          EXPECT_NEAR(sums[j], expected[j], tolerance<double>(300.0))
              << range[0] << " " << range[1];
      }
  });
}

TYPED_TEST(Poisson, ProductsAreThoseOfTheRangeAlsoInPlace)
{
  using Complex = std::complex<TypeParam>;
  const System<TypeParam> system({9, 7, 5});
  TOFU_TEST::for_each_instruction_set([&] {
    for (int stride : {1, 6})
      for (bool in_place : {false, true})
        for (std::array<int, 2> range : {std::array<int, 2>{0, 0}, {4, 7}, {1, 314}, {0, 315}}) {
          const double *const factor = stride == 1 ? system.green.data() : system.vg.data() + 3;
          std::vector<Complex> to = in_place ? system.density
                                             : std::vector<Complex>(system.npoints, Complex(7, 8));
          std::vector<Complex> expected = to;
          for (int i = range[0]; i < range[1]; i++)
            expected[i] =
                Complex(0.5 * factor[stride * i] * std::complex<double>(system.density[i]));
          multiply_spectrum(in_place ? numbers(to) : system.numbers(), factor, stride, 0.5,
                            range[0], range[1], numbers(to));
          for (int i = 0; i < system.npoints; i++)
            ASSERT_LE(std::abs(to[i] - expected[i]), tolerance<TypeParam>(1.0)) << i;
        }
  });
}

/** Rows have from one point to more than the length of a vector; there may be no rows. */
TYPED_TEST(Poisson, GradientsAreIkTimesThePotential)
{
  using Complex = std::complex<TypeParam>;
  TOFU_TEST::for_each_instruction_set([&] {
    for (int n0 : {0, 1, 2, 3, 4, 5, 7, 8, 17}) {
      const System<TypeParam> system({n0, 3, 4});
      std::vector<Complex> gradient[3];
      for (auto &component : gradient) component.assign(system.npoints + 1, Complex(7, 8));
      const double *const k[3] = {system.k[0].data(), system.k[1].data(), system.k[2].data()};
      TypeParam *const to[3] = {numbers(gradient[0]), numbers(gradient[1]), numbers(gradient[2])};
      gradient_spectra(system.n.data(), k, system.numbers(), system.green.data(), 0.25, to);
      for (int i = 0; i < system.npoints; i++) {
        const int at[3] = {i % n0, i / n0 % 3, i / n0 / 3};
        for (int dim = 0; dim < 3; dim++) {
          const std::complex<double> ik(0.0, system.k[dim][at[dim]]);
          const std::complex<double> expected =
              ik * 0.25 * system.green[i] * std::complex<double>(system.density[i]);
          ASSERT_LE(std::abs(std::complex<double>(gradient[dim][i]) - expected),
                    tolerance<TypeParam>(0.25))
              << n0 << " " << i << " " << dim;
        }
      }
      for (const auto &component : gradient) EXPECT_EQ(component.back(), Complex(7, 8));
    }
  });
}

TYPED_TEST(Poisson, GradientsOfPointsWithFactorsOfTheirOwnAreIkTimesThePotential)
{
  using Complex = std::complex<TypeParam>;
  TOFU_TEST::for_each_instruction_set([&] {
    for (int n : {0, 1, 3, 4, 5, 17}) {
      const System<TypeParam> system({n, 1, 6});
      const int npoints = n;    // of the random numbers in vg each point has three
      std::vector<double> slope[3];
      std::vector<Complex> gradient[3];
      for (int dim = 0; dim < 3; dim++) {
        for (int i = 0; i < npoints; i++) slope[dim].push_back(system.vg[3 * i + dim]);
        gradient[dim].assign(npoints + 1, Complex(7, 8));
      }
      gradient_spectra<TypeParam>(
          npoints, {slope[0].data(), slope[1].data(), slope[2].data()}, system.numbers(), 0.25,
          {numbers(gradient[0]), numbers(gradient[1]), numbers(gradient[2])});
      for (int dim = 0; dim < 3; dim++) {
        for (int i = 0; i < npoints; i++) {
          const std::complex<double> expected = std::complex<double>(0.0, 0.25 * slope[dim][i]) *
              std::complex<double>(system.density[i]);
          ASSERT_LE(std::abs(std::complex<double>(gradient[dim][i]) - expected),
                    tolerance<TypeParam>(0.25))
              << n << " " << i << " " << dim;
        }
        EXPECT_EQ(gradient[dim].back(), Complex(7, 8));
      }
    }
  });
}

}    // namespace
