// SPDX-License-Identifier: GPL-2.0-only
//
// The FFT by partial sums against a naive transform, ranks as threads over heap memory.

#include "unit/errors.h"
#include "whole_transform.h"

#include "mesh/fft/partial_fft.h"

#include <mutex>

using namespace TOFU_TEST;

namespace {

/** Density of each rank at all its points, including ghosts, and their sum on the whole mesh. */
struct Density {
  std::vector<std::vector<double>> of_rank;
  std::vector<Complex> mesh;

  Density(const MeshGeometry &geometry, double size) : mesh(whole_mesh(geometry.npoints).npoints())
  {
    std::mt19937 random(11);
    std::uniform_real_distribution<float> uniform(-1, 1);    // the same values in single precision
    for (const MeshBox &box : geometry.boxes) {
      of_rank.emplace_back(box.npoints());
      for_points({box}, [&](int x, int y, int z, std::ptrdiff_t n) {
        of_rank.back()[n] = static_cast<float>(size) * uniform(random);
        mesh[mesh_index(geometry.npoints, x, y, z)] += of_rank.back()[n];
      });
    }
  }
};

/** Spectrum of a real field of random numbers. */
std::vector<Complex> random_spectrum(const std::array<int, 3> &npoints, int field, double size)
{
  std::mt19937 random(100 + field);
  std::uniform_real_distribution<double> uniform(-size, size);
  std::vector<Complex> values(whole_mesh(npoints).npoints());
  for (Complex &value : values) value = uniform(random);
  return whole_dft(npoints, values, -1);
}

struct Case {
  MeshGrid grid;
  ReductionChain chain;
  ReduceType reduce = ReduceType::DOUBLE;
};

/** Call body(fft, geometry) on all ranks. */
template <class Real, class Body>
void on_ranks(const MeshGrid &grid, const PartialOptions &options, int nfields, std::uint64_t seed,
              const Body &body)
{
  const auto make = [&](int rank) {
    std::string why_not;
    auto fft = make_partial_fft<Real>(grid.geometry(rank), options, why_not);
    EXPECT_TRUE(fft) << why_not;
    return fft;
  };
  on_ranks_with_fft(grid.size(), make, nfields, seed,
                    [&](DistributedFft<Real> &fft, int rank) { body(fft, grid.geometry(rank)); });
}

/** Differences from the naive transform, over all ranks. */
struct Errors {
  double largest = 0.0, sum_of_squares = 0.0;
  double scale = 0.0;    // largest value of the naive transform
  std::size_t n = 0;

  void add(Complex found, Complex expected)
  {
    const double error = std::abs(found - expected);
    largest = std::max(largest, std::isfinite(error) ? error : 1e300);
    scale = std::max(scale, std::abs(expected));
    sum_of_squares += error * error;
    n++;
  }
  void add(const Errors &other)
  {
    largest = std::max(largest, other.largest);
    scale = std::max(scale, other.scale);
    sum_of_squares += other.sum_of_squares;
    n += other.n;
  }
  double relative() const { return largest / scale; }
  double rms() const { return std::sqrt(sum_of_squares / static_cast<double>(n)); }
};

/** The transform runs twice, since buffers and slots are used again. */
template <class Real>
Errors forward_errors(const MeshGrid &grid, const PartialOptions &options, double size)
{
  const Density density(grid.geometry(0), size);
  const std::vector<Complex> expected = whole_dft(grid.npoints, density.mesh, -1);
  Errors errors;
  std::vector<int> counted(expected.size(), 0);
  int half_dim = -1;
  std::mutex mutex;
  on_ranks<Real>(grid, options, 1, 0, [&](DistributedFft<Real> &fft, const MeshGeometry &geometry) {
    const auto &mine = density.of_rank[geometry.me];
    const std::vector<Real> in(mine.begin(), mine.end());
    std::vector<Real> out(2 * fft.spectrum().box.npoints());
    for (int repeat = 0; repeat < 2; repeat++) {
      std::fill(out.begin(), out.end(), std::numeric_limits<Real>::quiet_NaN());
      fft.forward(in.data(), out.data());
    }
    std::lock_guard<std::mutex> lock(mutex);
    half_dim = fft.half_dim();
    for_points(fft.spectrum(), [&](int x, int y, int z, std::ptrdiff_t n) {
      const std::size_t index = mesh_index(grid.npoints, x, y, z);
      errors.add({out[2 * n], out[2 * n + 1]}, expected[index]);
      counted[index]++;
    });
  });
  const auto &n = grid.npoints;
  for_points({whole_mesh(n)}, [&](int x, int y, int z, std::ptrdiff_t at) {
    const std::array<int, 3> point{x, y, z};
    EXPECT_EQ(counted[at], point[half_dim] <= n[half_dim] / 2 ? 1 : 0) << x << " " << y << " " << z;
  });
  return errors;
}

template <class Real>
Errors inverse_errors(const MeshGrid &grid, const PartialOptions &options, int nfields, double size)
{
  std::vector<std::vector<Complex>> spectra, expected;
  for (int field = 0; field < nfields; field++) {
    spectra.push_back(random_spectrum(grid.npoints, field, size));
    expected.push_back(whole_dft(grid.npoints, spectra.back(), 1));
  }
  Errors errors;
  std::mutex mutex;
  on_ranks<Real>(grid, options, nfields, 0,
                 [&](DistributedFft<Real> &fft, const MeshGeometry &geometry) {
                   const MeshLayout box{geometry.boxes[geometry.me]};
                   std::vector<std::vector<Real>> in(nfields), out(nfields);
                   std::vector<Real *> from, to;
                   for (int field = 0; field < nfields; field++) {
                     in[field].resize(2 * fft.spectrum().box.npoints());
                     out[field].assign(box.box.npoints(), std::numeric_limits<Real>::quiet_NaN());
                     from.push_back(in[field].data());
                     to.push_back(out[field].data());
                   }
                   for (int repeat = 0; repeat < 2; repeat++) {
                     for (int field = 0; field < nfields; field++)
                       for_points(fft.spectrum(), [&](int x, int y, int z, std::ptrdiff_t n) {
                         const Complex value = spectra[field][mesh_index(grid.npoints, x, y, z)];
                         in[field][2 * n] = static_cast<Real>(value.real());
                         in[field][2 * n + 1] = static_cast<Real>(value.imag());
                       });
                     fft.inverse(nfields, from.data(), to.data());
                   }
                   Errors mine;
                   for (int field = 0; field < nfields; field++)
                     for_points(box, [&](int x, int y, int z, std::ptrdiff_t n) {
                       mine.add(out[field][n], expected[field][mesh_index(grid.npoints, x, y, z)]);
                     });
                   std::lock_guard<std::mutex> lock(mutex);
                   errors.add(mine);
                 });
  return errors;
}

// ---- against the naive transform

std::vector<MeshGrid> grids()
{
  return {
      {{8, 6, 5}, {1, 1, 1}, 2, 3},  {{9, 8, 7}, {2, 1, 1}, 2, 2},    {{5, 9, 12}, {1, 1, 3}, 1, 2},
      {{8, 8, 8}, {2, 2, 1}, 3, 2},  {{7, 11, 5}, {1, 5, 1}, 0, 0},   {{10, 6, 9}, {2, 1, 3}, 2, 2},
      {{13, 8, 9}, {2, 2, 2}, 2, 2}, {{12, 13, 14}, {3, 2, 2}, 2, 1}, {{3, 2, 11}, {5, 1, 2}, 1, 1},
      {{2, 3, 4}, {1, 2, 6}, 1, 2},  {{4, 1, 3}, {3, 2, 2}, 1, 0}};
}

std::vector<Case> plain_cases()
{
  std::vector<Case> cases;
  for (ReductionChain chain : {ReductionChain::DIRECT, ReductionChain::RING})
    for (const MeshGrid &grid : grids()) cases.push_back({grid, chain});
  cases.push_back({{{12, 8, 9}, {3, 2, 1}, 2, 2}, ReductionChain::DIRECT, ReduceType::FLOAT});
  return cases;
}

std::string case_name(const testing::TestParamInfo<Case> &info)
{
  const auto &[grid, chain, reduce] = info.param;
  std::string name = chain == ReductionChain::RING ? "Ring" : "Direct";
  if (reduce == ReduceType::FLOAT) name += "Float";
  for (int dim = 0; dim < 3; dim++)
    name += "_" + std::to_string(grid.npoints[dim]) + "on" + std::to_string(grid.nranks[dim]);
  return name;
}

class PartialFftOn : public testing::TestWithParam<Case> {
 protected:
  PartialOptions options() const
  {
    PartialOptions options;
    options.chain = GetParam().chain;
    options.reduce = GetParam().reduce;
    return options;
  }
};

constexpr double DOUBLE = 1e-13, FLOAT = 1e-5;    // of the largest value

TEST_P(PartialFftOn, ForwardIsTheNaiveTransformOfTheSumOverGhosts)
{
  const MeshGrid &grid = GetParam().grid;
  const double tolerance = GetParam().reduce == ReduceType::FLOAT ? FLOAT : DOUBLE;
  EXPECT_LE(forward_errors<double>(grid, options(), 1.0).relative(), tolerance);
  EXPECT_LE(forward_errors<float>(grid, options(), 1.0).relative(), FLOAT);
}

TEST_P(PartialFftOn, InverseIsTheNaiveTransformAtGhostsToo)
{
  const MeshGrid &grid = GetParam().grid;
  const double tolerance = GetParam().reduce == ReduceType::FLOAT ? FLOAT : DOUBLE;
  for (int nfields : {1, 3, 7})
    EXPECT_LE(inverse_errors<double>(grid, options(), nfields, 1.0).relative(), tolerance);
  EXPECT_LE(inverse_errors<float>(grid, options(), 3, 1.0).relative(), FLOAT);
}

INSTANTIATE_TEST_SUITE_P(Grids, PartialFftOn, testing::ValuesIn(plain_cases()), case_name);

/** Both directions in one test; sums of floats depend on their order. */
TEST(PartialFft, ResultsAreBitwiseTheSameHoweverMessagesArrive)
{
  const MeshGrid grid{{12, 9, 8}, {3, 2, 2}, 2, 2};
  const Density density(grid.geometry(0), 1.0);
  for (ReductionChain chain : {ReductionChain::DIRECT, ReductionChain::RING})
    for (ReduceType reduce : {ReduceType::FLOAT, ReduceType::INT32}) {
      std::vector<float> found[2][12];
      for (int run = 0; run < 2; run++)
        on_ranks<float>(grid, {reduce, 1e6, chain}, 1, run ? 99 : 0,
                        [&](DistributedFft<float> &fft, const MeshGeometry &geometry) {
                          const auto &mine = density.of_rank[geometry.me];
                          std::vector<float> values(mine.begin(), mine.end()),
                              spectrum(2 * fft.spectrum().box.npoints());
                          float *from = spectrum.data(), *to = values.data();
                          fft.forward(values.data(), spectrum.data());
                          for (float &value : spectrum) value /= 12 * 9 * 8;
                          fft.inverse(1, &from, &to);
                          found[run][geometry.me] = values;
                        });
      for (int rank = 0; rank < grid.size(); rank++) EXPECT_EQ(found[0][rank], found[1][rank]);
    }
}

// ---- integers

/** Bounds of the error with integers.  Table 1 of the paper has this error for energies and forces;
    here it is that of the transform itself.

    Sent values are unitary over the dimensions so far.  Each rank of a row of P rounds the real and
    the imaginary part by at most half of a unit 1/scale, so that a sum is wrong by at most P/2 in
    each part, hence P/sqrt(2) units in the plane.  A unitary transform of n points makes errors of
    at most sqrt(n) e from errors e, and random errors keep their size.  With the normalization
    undone, that is, times sqrt(N) for all N points, the bounds are:

      largest   sqrt(N) / scale * sum over cut dimensions (P / sqrt(2)) * sqrt(points of those after
                it)
      rms       sqrt(N) / scale * sqrt(sum over cut dimensions P / 12 for each part), two parts

    Backwards the last dimension is real, so it has one part, and the others count twice, for their
    conjugates.  The rms is the same, and there is no sqrt(N), since no normalization is undone.
    The order of dimensions does not affect the rms; for the largest error, all points count as
    those after each dimension. */
struct QuantizedBound {
  double largest, rms;

  QuantizedBound(const MeshGrid &grid, double scale, bool forward)
  {
    double sum = 0.0, n = 1.0;
    for (int dim = 0; dim < 3; dim++) {
      if (grid.nranks[dim] > 1) sum += std::min(grid.nranks[dim], grid.npoints[dim]);
      n *= grid.npoints[dim];
    }
    const double undone = forward ? std::sqrt(n) : 1.0;
    largest = undone / scale * sum / std::sqrt(2.0) * std::sqrt(n) * 2.0;
    rms = undone / scale * std::sqrt(2.0 * sum / 12.0);
  }
};

TEST(PartialFftInt32, ErrorsAreThoseOfRounding)
{
  for (ReductionChain chain : {ReductionChain::DIRECT, ReductionChain::RING})
    for (const MeshGrid &grid :
         {MeshGrid{{12, 10, 9}, {2, 1, 1}, 1, 1}, MeshGrid{{8, 12, 8}, {2, 3, 2}, 2, 2},
          MeshGrid{{3, 16, 11}, {4, 1, 3}, 1, 2}}) {
      const PartialOptions options{ReduceType::INT32, 1e6, chain};
      const double size = 1.0 / std::sqrt(static_cast<double>(whole_mesh(grid.npoints).npoints()));
      for (bool forward : {true, false}) {
        const QuantizedBound bound(grid, options.scale, forward);
        const Errors errors = forward ? forward_errors<double>(grid, options, 1.0)
                                      : inverse_errors<double>(grid, options, 3, size);
        EXPECT_LE(errors.largest, bound.largest);
        EXPECT_LE(errors.rms(), 1.2 * bound.rms);
        EXPECT_GE(errors.rms(), 0.3 * bound.rms);    // the messages had integers
      }
    }
}

TEST(PartialFftInt32, WithoutMessagesNothingIsRounded)
{
  const MeshGrid grid{{8, 9, 5}, {1, 1, 1}, 2, 2};
  EXPECT_LE(forward_errors<double>(grid, {ReduceType::INT32, 1.0, {}}, 1.0).largest, 1e-10);
}

/** A wrong value: direction of the transform, rank, and the value that is put into its input. */
struct Trouble {
  bool forward;
  int rank;
  double value;
};

/** Error of each rank; empty if it has none.  The next transform must work again. */
std::vector<std::string> complaints(const MeshGrid &grid, ReductionChain chain,
                                    const Trouble &trouble)
{
  std::vector<std::string> said(grid.size());
  on_ranks<double>(grid, {ReduceType::INT32, 1e7, chain}, 1, 0,
                   [&](DistributedFft<double> &fft, const MeshGeometry &geometry) {
                     std::vector<double> density(geometry.boxes[geometry.me].npoints(), 0.1),
                         spectrum(2 * fft.spectrum().box.npoints(), 0.1);
                     double *from = spectrum.data(), *to = density.data();
                     if (geometry.me == trouble.rank)
                       (trouble.forward ? density : spectrum).at(0) = trouble.value;
                     said[geometry.me] = message_of([&] {
                       if (trouble.forward)
                         fft.forward(density.data(), spectrum.data());
                       else
                         fft.inverse(1, &from, &to);
                     });
                     std::fill(density.begin(), density.end(), 0.1);
                     EXPECT_NO_THROW(fft.forward(density.data(), spectrum.data()));
                     for (double &value : spectrum) value /= whole_mesh(grid.npoints).npoints();
                     EXPECT_NO_THROW(fft.inverse(1, &from, &to));
                   });
  return said;
}

/** All dimensions of the grid are cut, and some ranks have no points.  A wrong value in the input
    is found in the first dimension. */
TEST(PartialFftInt32, WhatDoesNotFitIsAnErrorOnAllRanks)
{
  const MeshGrid grid{{4, 6, 2}, {2, 2, 3}, 1, 1};
  for (ReductionChain chain : {ReductionChain::DIRECT, ReductionChain::RING})
    for (bool forward : {true, false})
      for (double value : {4000.0, -1e30, std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()}) {
        const int rank = 11;    // a rank with points; of three ranks along z, one has none
        const auto said = complaints(grid, chain, {forward, rank, value});
        ASSERT_NE(said[0], "") << value;
        expect_words(said[0], {"int32", std::isfinite(value) ? "scale of at most" : "not finite"});
        for (const std::string &text : said) EXPECT_EQ(text, said[0]);
      }
}

/** A constant density has one mode, which is sqrt(12) times as large after each dimension: 5.0
    times 12^1.5 is below 2^31/1e7, 9.0 is too much in the last dimension, 30.0 in the second, 70.0
    in the first.  An error in the first two dimensions has to reach the other ranks. */
TEST(PartialFftInt32, WhatGrowsTooLargeOnTheWayIsAnErrorOnAllRanks)
{
  for (ReductionChain chain : {ReductionChain::DIRECT, ReductionChain::RING})
    for (const std::array<int, 3> &nranks :
         {std::array<int, 3>{2, 2, 2}, std::array<int, 3>{3, 2, 2}, std::array<int, 3>{2, 3, 2}}) {
      const MeshGrid grid{{12, 12, 12}, nranks, 1, 1};
      for (double size : {5.0, 9.0, 30.0, 70.0}) {
        std::vector<std::string> said(grid.size());
        on_ranks<double>(grid, {ReduceType::INT32, 1e7, chain}, 1, 0,
                         [&](DistributedFft<double> &fft, const MeshGeometry &geometry) {
                           const MeshLayout box{geometry.boxes[geometry.me]};
                           std::vector<double> density(box.box.npoints()),
                               spectrum(2 * fft.spectrum().box.npoints());
                           for_points(box, [&](int x, int y, int z, std::ptrdiff_t n) {
                             const MeshBox &brick = geometry.bricks[geometry.me];
                             const std::array<int, 3> at{x, y, z};
                             bool owned = true;
                             for (int dim = 0; dim < 3; dim++)
                               owned &= at[dim] >= brick.lo[dim] && at[dim] < brick.hi[dim];
                             density[n] = owned ? size : 0.0;
                           });
                           said[geometry.me] =
                               message_of([&] { fft.forward(density.data(), spectrum.data()); });
                         });
        for (const std::string &text : said) EXPECT_EQ(text, said[0]);
        EXPECT_EQ(said[0].empty(), size < 6.0) << size << " " << said[0];
      }
    }
}

// ---- refused meshes

TEST(PartialFft, UnevenCutsAreAGridAndShiftedOnesAreNot)
{
  MeshGeometry geometry{0, {8, 8, 1}, {}, {}};
  const auto brick = [&](int x0, int x1, int y0, int y1) {
    geometry.bricks.push_back({{x0, y0, 0}, {x1, y1, 1}});
    geometry.boxes = geometry.bricks;
  };
  brick(0, 3, 0, 7);
  brick(3, 8, 0, 7);
  brick(5, 5, 0, 7);
  brick(0, 3, 7, 8);
  brick(3, 8, 7, 8);
  std::string why_not;
  EXPECT_TRUE(make_partial_fft<double>(geometry, {}, why_not));
  EXPECT_EQ(why_not, "");

  geometry.bricks.resize(3);
  brick(0, 4, 7, 8);
  brick(4, 8, 7, 8);
  EXPECT_FALSE(make_partial_fft<double>(geometry, {}, why_not));
  expect_words(why_not, {"no regular grid"});
}

TEST(PartialFft, AScaleThatIsNotPositiveIsRefused)
{
  const MeshGeometry geometry = MeshGrid{{4, 4, 4}, {1, 1, 1}}.geometry(0);
  std::string why_not;
  EXPECT_FALSE(make_partial_fft<double>(geometry, {ReduceType::INT32, 0.0, {}}, why_not));
  expect_words(why_not, {"scale"});
}

}    // namespace
