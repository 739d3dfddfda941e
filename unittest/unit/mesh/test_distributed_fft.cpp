// SPDX-License-Identifier: GPL-2.0-only
//
// The same tests for all distributed FFTs, with ranks as threads over heap memory, against a
// discrete Fourier transform of the whole mesh by its definition.

#include "unit/base/part_threads.h"
#include "whole_transform.h"

#include "mesh/exchange/mesh_exchange.h"
#include "mesh/fft/half_fft.h"
#include "mesh/fft/partial_fft.h"
#include "mesh/fft/pencil_fft.h"
#include "mesh/fft/pencil_plan.h"
#include "mesh/fft/replicated_fft.h"

#include <mutex>

using namespace TOFU_TEST;

namespace {

using Values = std::vector<double>;    // of a mesh, x fastest
using Spectrum = std::vector<Complex>;

// implementations

template <class Real> struct Implementation {
  const char *name;
  std::unique_ptr<DistributedFft<Real>> (*make)(const MeshGeometry &);
};

template <class Real>
std::unique_ptr<DistributedFft<Real>> make_partial(const MeshGeometry &geometry)
{
  std::string why_not;
  return make_partial_fft<Real>(geometry, {}, why_not);    // nullptr: bricks form no grid
}

template <class Real>
const std::vector<Implementation<Real>> IMPLEMENTATIONS = {
    {"pencil", make_pencil_fft<Real>},
    {"replicated", make_replicated_fft<Real>},
    {"partial", make_partial<Real>},
};

// meshes, and the part of each rank

struct Mesh {
  const char *name;
  std::array<int, 3> npoints;
  std::vector<MeshBox> bricks;
  int below, above;    // ghost points

  int size() const { return static_cast<int>(bricks.size()); }

  MeshGeometry geometry(int me) const
  {
    MeshGeometry geometry{me, npoints, bricks, bricks};
    for (MeshBox &box : geometry.boxes)
      for (int dim = 0; dim < 3 && !box.empty(); dim++) {
        box.lo[dim] -= below;
        box.hi[dim] += above;
      }
    return geometry;
  }
};

void PrintTo(const Mesh &mesh, std::ostream *out)
{
  *out << mesh.name;
}

Mesh grid(const char *name, std::array<int, 3> npoints, std::array<int, 3> nranks, int below,
          int above)
{
  return {name, npoints, MeshGrid{npoints, nranks}.geometry(0).bricks, below, above};
}

/** A mesh whose bricks come from repeated cuts of the largest box, each in its longest dimension
    and not in the middle: they form no grid, as after recursive bisection. */
Mesh bisected(const char *name, std::array<int, 3> npoints, int nranks, int below, int above)
{
  std::vector<MeshBox> bricks{whole_mesh(npoints)};
  while (static_cast<int>(bricks.size()) < nranks) {
    auto largest = std::max_element(bricks.begin(), bricks.end(),
                                    [](auto &a, auto &b) { return a.npoints() < b.npoints(); });
    int dim = 0;
    for (int other = 1; other < 3; other++)
      if (largest->length(other) > largest->length(dim)) dim = other;
    MeshBox rest = *largest;
    largest->hi[dim] = rest.lo[dim] = rest.lo[dim] + (rest.length(dim) * 2 + 4) / 5;
    bricks.push_back(rest);
  }
  return {name, npoints, bricks, below, above};
}

/** A mesh of which one rank, not the first, has all points. */
Mesh lopsided(const char *name, std::array<int, 3> npoints, int nranks, int below, int above)
{
  std::vector<MeshBox> bricks(nranks);
  bricks[nranks / 2] = whole_mesh(npoints);
  return {name, npoints, bricks, below, above};
}

const std::vector<Mesh> MESHES = {
    grid("one_rank", {8, 6, 10}, {1, 1, 1}, 2, 2),
    grid("one_rank_without_ghosts", {6, 5, 4}, {1, 1, 1}, 0, 0),
    grid("one_rank_odd", {7, 5, 3}, {1, 1, 1}, 2, 3),
    grid("one_rank_of_sizes_1_and_2", {1, 2, 1}, {1, 1, 1}, 1, 1),
    grid("one_point", {1, 1, 1}, {1, 1, 1}, 2, 3),
    grid("halved_in_x", {8, 6, 5}, {2, 1, 1}, 2, 2),
    grid("halved_in_y", {4, 9, 6}, {1, 2, 1}, 2, 3),
    grid("halved_in_z", {6, 4, 8}, {1, 1, 2}, 2, 2),
    grid("halved_in_z_without_ghosts", {6, 4, 8}, {1, 1, 2}, 0, 0),
    grid("three_ranks_of_a_prime", {5, 7, 11}, {1, 1, 3}, 1, 2),
    grid("four_ranks_in_x_and_y", {10, 9, 8}, {2, 2, 1}, 3, 2),
    grid("four_ranks_in_y_and_z", {12, 8, 10}, {1, 2, 2}, 2, 2),
    grid("four_ranks_without_ghosts", {8, 8, 8}, {2, 2, 1}, 0, 0),
    grid("six_ranks", {9, 8, 7}, {3, 1, 2}, 2, 2),
    grid("eight_ranks", {8, 8, 8}, {2, 2, 2}, 2, 3),
    grid("twelve_ranks", {9, 10, 8}, {3, 2, 2}, 2, 2),
    grid("twelve_ranks_of_few_planes", {3, 2, 5}, {2, 1, 6}, 1, 2),
    grid("eight_ranks_of_sizes_1_and_2", {2, 1, 2}, {2, 2, 2}, 1, 1),
    bisected("three_bisected", {9, 7, 8}, 3, 2, 2),
    bisected("six_bisected", {10, 8, 9}, 6, 2, 3),
    bisected("twelve_bisected", {8, 13, 6}, 12, 1, 2),
    lopsided("one_of_four_has_all", {6, 5, 7}, 4, 2, 2),
};

double random_at(int rank, std::size_t i)
{
  std::minstd_rand random(static_cast<unsigned>(1 + 7919 * rank + i));
  random.discard(3);
  return std::uniform_real_distribution<double>(-1.0, 1.0)(random);
}

/** Density of a rank at its points with ghosts, rounded to a Real. */
template <class Real> std::vector<Real> density_of(const MeshGeometry &geometry, int rank)
{
  std::vector<Real> density(geometry.boxes[rank].npoints());
  for (std::size_t i = 0; i < density.size(); i++)
    density[i] = static_cast<Real>(random_at(rank, i));
  return density;
}

/** Density of the whole mesh: the sum over all ranks and images. */
template <class Real> Values whole_density(const Mesh &mesh)
{
  const MeshGeometry geometry = mesh.geometry(0);
  Values whole(whole_mesh(mesh.npoints).npoints(), 0.0);
  for (int rank = 0; rank < mesh.size(); rank++) {
    const auto density = density_of<Real>(geometry, rank);
    for_points({geometry.boxes[rank]}, [&](int x, int y, int z, std::ptrdiff_t n) {
      whole[mesh_index(mesh.npoints, x, y, z)] += density[n];
    });
  }
  return whole;
}

/** A field of a mesh, and the spectrum that gives it. */
struct Field {
  Values values;
  Spectrum spectrum;
};

Field random_field(const std::array<int, 3> &npoints, int seed)
{
  Field field;
  for (std::size_t i = 0; i < whole_mesh(npoints).npoints(); i++)
    field.values.push_back(random_at(100 + seed, i));
  field.spectrum = whole_dft(npoints, {field.values.begin(), field.values.end()}, -1);
  for (Complex &value : field.spectrum) value /= static_cast<double>(field.values.size());
  return field;
}

double largest(const Spectrum &values)
{
  double most = 0.0;
  for (const Complex &value : values) most = std::max(most, std::abs(value));
  return most;
}

template <class Real> constexpr double TOLERANCE = sizeof(Real) == sizeof(double) ? 1e-13 : 2e-6;

/** Call body(fft, rank) on all ranks, with links for nfields fields. */
template <class Real, class Body>
void on_ranks(const Mesh &mesh, const Implementation<Real> &implementation, int nfields,
              std::uint64_t shuffle_seed, Body &&body)
{
  const auto make = [&](int rank) {
    return implementation.make(mesh.geometry(rank));
  };
  on_ranks_with_fft(mesh.size(), make, nfields, shuffle_seed, body);
}

/** Spectrum that a rank gets for its density. */
template <class Real>
std::vector<Real> transformed(DistributedFft<Real> &fft, const Mesh &mesh, int me,
                              const Parts &parts = {})
{
  const auto density = density_of<Real>(mesh.geometry(me), me);
  std::vector<Real> spectrum(2 * fft.spectrum().box.npoints(), Real(-7));
  fft.forward(density.data(), spectrum.data(), parts);
  return spectrum;
}

/** Fields that a rank gets for the spectra of these fields. */
template <class Real>
std::vector<std::vector<Real>> transformed_back(DistributedFft<Real> &fft, const Mesh &mesh, int me,
                                                const std::vector<Field> &wanted)
{
  std::vector<std::vector<Real>> spectra, fields;
  for (const Field &field : wanted) {
    spectra.emplace_back(2 * fft.spectrum().box.npoints());
    for_points(fft.spectrum(), [&](int x, int y, int z, std::ptrdiff_t n) {
      const Complex value = field.spectrum[mesh_index(mesh.npoints, x, y, z)];
      spectra.back()[2 * n] = static_cast<Real>(value.real());
      spectra.back()[2 * n + 1] = static_cast<Real>(value.imag());
    });
    fields.emplace_back(mesh.geometry(me).boxes[me].npoints(), Real(-7));
  }
  std::vector<Real *> from, to;
  for (std::size_t f = 0; f < wanted.size(); f++) {
    from.push_back(spectra[f].data());
    to.push_back(fields[f].data());
  }
  fft.inverse(static_cast<int>(wanted.size()), from.data(), to.data());
  return fields;
}

// properties of all transforms, in both precisions

template <class Real>
void expect_spectrum_of_summed_density(const Mesh &mesh, const Implementation<Real> &implementation)
{
  const Values density = whole_density<Real>(mesh);
  const Spectrum expected = whole_dft(mesh.npoints, {density.begin(), density.end()}, -1);
  const double tolerance = TOLERANCE<Real> * std::max(1.0, largest(expected));
  on_ranks(mesh, implementation, 1, 0, [&](DistributedFft<Real> &fft, int me) {
    EXPECT_STREQ(fft.name(), implementation.name);
    for (int repeat = 0; repeat < 2; repeat++) {
      const auto spectrum = transformed(fft, mesh, me);
      double error = 0.0;
      for_points(fft.spectrum(), [&](int x, int y, int z, std::ptrdiff_t n) {
        const Complex found(spectrum[2 * n], spectrum[2 * n + 1]);
        error = std::max(error, std::abs(found - expected[mesh_index(mesh.npoints, x, y, z)]));
      });
      EXPECT_LE(error, tolerance) << "rank " << me << " of " << mesh.size();
    }
  });
}

template <class Real>
void expect_fields_with_ghosts(const Mesh &mesh, const Implementation<Real> &implementation)
{
  std::vector<Field> all;
  for (int field = 0; field < 7; field++) all.push_back(random_field(mesh.npoints, field));
  on_ranks(mesh, implementation, 7, 0, [&](DistributedFft<Real> &fft, int me) {
    for (int nfields : {7, 1, 3}) {
      const std::vector<Field> wanted(all.begin(), all.begin() + nfields);
      const auto fields = transformed_back(fft, mesh, me, wanted);
      double error = 0.0;
      for (int f = 0; f < nfields; f++)
        for_points({mesh.geometry(me).boxes[me]}, [&](int x, int y, int z, std::ptrdiff_t n) {
          const double expected = wanted[f].values[mesh_index(mesh.npoints, x, y, z)];
          error = std::max(error, std::abs(fields[f][n] - expected));
        });
      EXPECT_LE(error, 4.0 * TOLERANCE<Real>) << nfields << " fields, rank " << me;
    }
  });
}

/** Expect that every point of the half spectrum is counted once: sum of |X|^2 = n sum of density^2
    (Parseval). */
template <class Real>
void expect_each_point_counted_once(const Mesh &mesh, const Implementation<Real> &implementation)
{
  const auto npoints = mesh.npoints;
  std::vector<int> counted(whole_mesh(npoints).npoints(), 0);
  std::vector<double> sums(mesh.size(), 0.0);
  std::mutex mutex;
  on_ranks(mesh, implementation, 1, 0, [&](DistributedFft<Real> &fft, int me) {
    const auto spectrum = transformed(fft, mesh, me);
    const auto [first, second] = fft.counted();
    std::lock_guard<std::mutex> lock(mutex);
    for_points(fft.spectrum(),
               [&, first = first, second = second](int x, int y, int z, std::ptrdiff_t n) {
                 if (static_cast<std::size_t>(n) < first || static_cast<std::size_t>(n) >= second)
                   return;
                 const int half = fft.half_dim(), k = std::array<int, 3>{x, y, z}[half];
                 const bool alone = k == 0 || 2 * k == npoints[half];
                 counted[mesh_index(npoints, x, y, z)]++;
                 if (!alone)
                   counted[mesh_index(npoints, half == 0 ? -x : x, half == 1 ? -y : y,
                                      half == 2 ? -z : z)]++;
                 sums[me] +=
                     (alone ? 1.0 : 2.0) * std::norm(Complex(spectrum[2 * n], spectrum[2 * n + 1]));
               });
  });
  EXPECT_EQ(counted, std::vector<int>(counted.size(), 1));
  double sum = 0.0, expected = 0.0;
  for (double one : sums) sum += one;
  for (double value : whole_density<Real>(mesh)) expected += value * value * counted.size();
  EXPECT_NEAR(sum, expected, 10.0 * TOLERANCE<Real> * expected);
}

template <class Real>
void expect_same_bits_every_time(const Mesh &mesh, const Implementation<Real> &implementation)
{
  const std::vector<Field> wanted{random_field(mesh.npoints, 1), random_field(mesh.npoints, 2)};
  const auto run = [&](std::uint64_t shuffle_seed) {
    std::vector<std::vector<Real>> results(3 * mesh.size());
    on_ranks(mesh, implementation, 2, shuffle_seed, [&](DistributedFft<Real> &fft, int me) {
      results[3 * me] = transformed(fft, mesh, me);
      const auto fields = transformed_back(fft, mesh, me, wanted);
      for (int f = 0; f < 2; f++) results[3 * me + 1 + f] = fields[f];
    });
    return results;
  };
  const auto expected = run(0);
  for (std::uint64_t seed : {0, 17, 4711}) EXPECT_TRUE(run(seed) == expected) << seed;
}

/** Two fields of spectra that are random numbers. */
template <class Real>
std::vector<Real> random_fields(DistributedFft<Real> &fft, const Mesh &mesh, int me,
                                const Parts &parts)
{
  const std::size_t nspectrum = 2 * fft.spectrum().box.npoints(),
                    nfield = mesh.geometry(me).boxes[me].npoints();
  std::vector<Real> spectra(2 * nspectrum), fields(2 * nfield, Real(-7));
  for (std::size_t i = 0; i < spectra.size(); i++) spectra[i] = static_cast<Real>(random_at(me, i));
  Real *const from[] = {spectra.data(), spectra.data() + nspectrum};
  Real *const to[] = {fields.data(), fields.data() + nfield};
  fft.inverse(2, from, to, parts);
  return fields;
}

template <class Real> void expect_same_bits_for_parts(const Mesh &mesh)
{
  for (const auto &one : IMPLEMENTATIONS<Real>)
    on_ranks(mesh, one, 2, 0, [&](DistributedFft<Real> &fft, int me) {
      const auto spectrum = transformed(fft, mesh, me);
      const auto fields = random_fields(fft, mesh, me, Parts());
      for (int nparts : {2, 3}) {
        EXPECT_EQ(transformed(fft, mesh, me, part_threads(nparts)), spectrum) << one.name;
        EXPECT_EQ(random_fields(fft, mesh, me, part_threads(nparts)), fields) << one.name;
      }
    });
}

class DistributedFftOf : public testing::TestWithParam<Mesh> {
 protected:
  template <class Check> void for_all(Check &&check)
  {
    for (const auto &one : IMPLEMENTATIONS<double>) {
      if (!one.make(GetParam().geometry(0))) continue;
      SCOPED_TRACE(std::string(one.name) + ", double");
      check(GetParam(), one);
    }
    for (const auto &one : IMPLEMENTATIONS<float>) {
      if (!one.make(GetParam().geometry(0))) continue;
      SCOPED_TRACE(std::string(one.name) + ", float");
      check(GetParam(), one);
    }
  }
};

TEST_P(DistributedFftOf, ForwardGivesTheSpectrumOfWhatAllRanksHaveInAll)
{
  for_all([](const auto &mesh, const auto &one) { expect_spectrum_of_summed_density(mesh, one); });
}

TEST_P(DistributedFftOf, InverseGivesAllFieldsWithTheirGhosts)
{
  for_all([](const auto &mesh, const auto &one) { expect_fields_with_ghosts(mesh, one); });
}

TEST_P(DistributedFftOf, EachPointOfTheSpectrumIsCountedOnce)
{
  for_all([](const auto &mesh, const auto &one) { expect_each_point_counted_once(mesh, one); });
}

TEST_P(DistributedFftOf, GivesTheSameBitsWhateverTheOrderOfArrival)
{
  for_all([](const auto &mesh, const auto &one) { expect_same_bits_every_time(mesh, one); });
}

INSTANTIATE_TEST_SUITE_P(Meshes, DistributedFftOf, testing::ValuesIn(MESHES),
                         [](const auto &info) { return std::string(info.param.name); });

/** Of meshes in which each part has work for a thread. */
TEST(DistributedFft, GivesTheSameBitsForAnyNumberOfParts)
{
  for (const Mesh &mesh :
       {grid("alone", {20, 27, 28}, {1, 1, 1}, 2, 2), grid("two", {28, 30, 40}, {1, 1, 2}, 2, 3)}) {
    SCOPED_TRACE(mesh.name);
    expect_same_bits_for_parts<double>(mesh);
    expect_same_bits_for_parts<float>(mesh);
  }
}

// transforms within a rank

/** Real line of half a spectrum, in which imaginary parts at 0 and n/2 do not count. */
double line_at(const std::vector<Complex> &half, int n, int r)
{
  double sum = 0.0;
  for (int k = 0; k <= n / 2; k++) {
    const bool alone = k == 0 || 2 * k == n;
    const Complex value = alone ? half[k].real() : 2.0 * half[k];
    sum += (value * std::polar(1.0, 2.0 * PI * k * r / n)).real();
  }
  return sum;
}

/** Lines are along y; small boxes, and others. */
std::vector<std::array<int, 3>> boxes_of_lines()
{
  std::vector<std::array<int, 3>> boxes;
  for (int nx : {1, 2, 3, 4, 15, 16, 17, 31, 33, 40})
    for (int ny : {6, 5, 2, 1})
      for (int nz : {2, 4200 / (nx * ny)}) boxes.push_back({nx, ny, nz});
  return boxes;
}

/** Lines are along y; their number side by side is even and odd, and so is their length. */
TEST(HalfFft, TakesImaginaryPartsAtBothEndsOfAHalfSpectrumForZero)
{
  for (const auto &[nx, ny, nz] : boxes_of_lines()) {
    const MeshLayout reals{{{0, 0, 0}, {nx, ny, nz}}}, halves{{{0, 0, 0}, {nx, ny / 2 + 1, nz}}};
    std::vector<double> spectrum(2 * halves.box.npoints()), values(reals.box.npoints());
    for (std::size_t i = 0; i < spectrum.size(); i++) spectrum[i] = random_at(0, i);
    const std::vector<double> kept = spectrum;
    HalfFft<double>(reals, halves, {1}).backward(spectrum.data(), values.data(), Parts());
    for_points(reals, [&](int x, int y, int z, std::ptrdiff_t n) {
      std::vector<Complex> line;
      for (int k = 0; k <= ny / 2; k++) {
        const std::ptrdiff_t at = 2 * halves.offset({x, k, z});
        line.emplace_back(kept[at], kept[at + 1]);
      }
      EXPECT_NEAR(values[n], line_at(line, ny, y), 1e-13) << nx << " " << ny;
    });
  }
}

TEST(HalfFft, TransformsAnyNumberOfLinesSideBySide)
{
  for (const auto &[nx, ny, nz] : boxes_of_lines()) {
    const MeshLayout reals{{{0, 0, 0}, {nx, ny, nz}}}, halves{{{0, 0, 0}, {nx, ny / 2 + 1, nz}}};
    std::vector<double> values(reals.box.npoints()), spectrum(2 * halves.box.npoints());
    for (std::size_t i = 0; i < values.size(); i++) values[i] = random_at(0, i);
    const std::vector<double> kept = values;
    HalfFft<double> fft(reals, halves, {1});
    fft.forward(values.data(), spectrum.data(), Parts());
    EXPECT_EQ(values, kept);
    for_points(halves, [&](int x, int k, int z, std::ptrdiff_t n) {
      Complex sum = 0.0;
      for (int y = 0; y < ny; y++)
        sum += kept[reals.offset({x, y, z})] * std::polar(1.0, -2.0 * PI * k * y / ny);
      EXPECT_NEAR(std::abs(Complex(spectrum[2 * n], spectrum[2 * n + 1]) - sum), 0.0, 1e-13);
    });
    std::vector<double> again(spectrum.size());
    fft.forward(values.data(), again.data(), Parts());
    EXPECT_EQ(again, spectrum) << "the same bits again";
  }
}

TEST(BoxFft, TransformsLinesThatAreFarApartInMemoryOrContiguous)
{
  const std::array<int, 3> npoints{5, 19, 12};
  for (const auto &order : {std::array<int, 3>{0, 1, 2}, std::array<int, 3>{2, 0, 1}})
    for (int dim = 0; dim < 3; dim++)
      for (FftDirection direction : {FftDirection::FORWARD, FftDirection::BACKWARD}) {
        const MeshLayout layout{{{0, 0, 0}, npoints}, order};
        std::vector<double> points(2 * layout.box.npoints());
        for (std::size_t i = 0; i < points.size(); i++) points[i] = random_at(0, i);
        const std::vector<double> kept = points;
        BoxFft<double>(direction, layout, {dim}).run(points.data(), Parts());
        const double sign = direction == FftDirection::FORWARD ? -1.0 : 1.0;
        for_points(layout, [&](int x, int y, int z, std::ptrdiff_t n) {
          std::array<int, 3> at{x, y, z};
          const int k = at[dim];
          Complex sum = 0.0;
          for (at[dim] = 0; at[dim] < npoints[dim]; at[dim]++) {
            const std::ptrdiff_t from = 2 * layout.offset(at);
            sum += Complex(kept[from], kept[from + 1]) *
                std::polar(1.0, sign * 2.0 * PI * k * at[dim] / npoints[dim]);
          }
          EXPECT_NEAR(std::abs(Complex(points[2 * n], points[2 * n + 1]) - sum), 0.0, 1e-13);
        });
      }
}

template <class Real> void expect_one_dimension_after_the_other(const std::array<int, 3> &npoints)
{
  const MeshLayout layout{{{0, 0, 0}, npoints}, {1, 0, 2}};
  std::vector<Real> points(2 * layout.box.npoints());
  for (std::size_t i = 0; i < points.size(); i++) points[i] = static_cast<Real>(random_at(0, i));
  std::vector<Real> one_by_one = points;
  for (int dim : {0, 1, 2})
    BoxFft<Real>(FftDirection::FORWARD, layout, {dim}).run(one_by_one.data(), Parts());
  BoxFft<Real>(FftDirection::FORWARD, layout, {2, 1, 0}).run(points.data(), Parts());
  const double allowed = 1e3 * std::numeric_limits<Real>::epsilon();
  for (std::size_t i = 0; i < points.size(); i++) EXPECT_NEAR(points[i], one_by_one[i], allowed);
}

TEST(BoxFft, TransformsSeveralDimensionsOfSmallAndLargeBoxes)
{
  expect_one_dimension_after_the_other<double>({4, 6, 5});
  expect_one_dimension_after_the_other<float>({4, 6, 5});
  expect_one_dimension_after_the_other<double>({11, 13, 21});
  expect_one_dimension_after_the_other<float>({11, 13, 21});
}

TEST(BoxFft, OfABoxWithoutPointsDoesNothing)
{
  BoxFft<double>(FftDirection::FORWARD, MeshLayout{}, {0, 1, 2}).run(nullptr, Parts());
}

TEST(FftwPlan, ServesArraysThatBeginAnywhere)
{
  constexpr int N = 16;
  const FftwPlan<float> plan(FftDirection::FORWARD, FftPlace::SAME_ARRAY, {{N, 1, 1}}, {});
  std::vector<float> aligned(2 * N), shifted(2 * N + 1);
  for (int i = 0; i < 2 * N; i++) shifted[i + 1] = aligned[i] = static_cast<float>(random_at(0, i));
  plan.run(aligned.data(), aligned.data());
  plan.run(shifted.data() + 1, shifted.data() + 1);
  for (int i = 0; i < 2 * N; i++) EXPECT_NEAR(shifted[i + 1], aligned[i], 1e-5F);
}

// exchanges that pencils save

int exchanges_between_stages(const PencilPlan &plan)
{
  return static_cast<int>(plan.stages.size()) - 1;
}

TEST(PencilPlan, OneRankTransformsAllDimensionsAtOnce)
{
  const PencilPlan plan = plan_pencils(MeshGrid{{12, 10, 8}, {1, 1, 1}, 2, 2}.geometry(0), 8);
  EXPECT_EQ(exchanges_between_stages(plan), 0);
  EXPECT_EQ(plan.stages[0].dims.size(), 3U);
}

TEST(PencilPlan, TwoRanksExchangeOnceAndKeepTheirHalves)
{
  for (const auto &nranks :
       {std::array<int, 3>{2, 1, 1}, std::array<int, 3>{1, 2, 1}, std::array<int, 3>{1, 1, 2}}) {
    MeshGeometry geometry = MeshGrid{{32, 32, 32}, nranks, 2, 2}.geometry(0);
    for (int swapped = 0; swapped < 2; swapped++) {
      const PencilPlan plan = plan_pencils(geometry, 8);
      EXPECT_EQ(exchanges_between_stages(plan), 1);
      for (int rank = 0; rank < 2; rank++)
        EXPECT_TRUE(plan.reals[rank].box == geometry.bricks[rank]) << rank;
      std::swap(geometry.bricks[0], geometry.bricks[1]);
      std::swap(geometry.boxes[0], geometry.boxes[1]);
    }
  }
}

TEST(PencilPlan, ManyRanksExchangeWithinRowsAndColumns)
{
  const MeshGeometry geometry = MeshGrid{{64, 64, 64}, {4, 4, 4}, 2, 2}.geometry(0);
  const PencilPlan plan = plan_pencils(geometry, 8);
  ASSERT_EQ(exchanges_between_stages(plan), 2);
  for (int s = 1; s <= 2; s++) {
    std::vector<std::size_t> nbytes(64, 0);
    MeshExchange(5, geometry.npoints, plan.stages[s - 1].layouts, plan.stages[s].layouts)
        .add_traffic(16, nbytes);
    EXPECT_LE(64 - std::count(nbytes.begin(), nbytes.end(), 0U), 15) << s;
  }
}

TEST(PencilPlan, RanksWithoutPencilsHoldNothing)
{
  const PencilPlan plan = plan_pencils(MeshGrid{{2, 2, 2}, {3, 2, 2}, 1, 1}.geometry(0), 8);
  std::size_t npoints = 0, nempty = 0;
  for (const MeshLayout &layout : plan.reals) {
    npoints += layout.box.npoints();
    nempty += layout.box.empty();
  }
  EXPECT_EQ(npoints, 8U);
  EXPECT_GE(nempty, 8U);
}

}    // namespace
