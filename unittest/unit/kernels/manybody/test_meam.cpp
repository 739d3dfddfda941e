// SPDX-License-Identifier: GPL-2.0-only
//
// The kernels of the modified embedded atom method against its formulas, one atom after the other,
// and forces against differences of the energy.

#include "unit/kernels/data/compared_values.h"
#include "unit/kernels/data/listed_atoms.h"
#include "unit/kernels/simd/instruction_sets.h"

#include "kernels/manybody/meam.h"

using namespace TOFU_NS;

namespace {

constexpr int N = 60;
constexpr double CUTOFF = 2.0, WIDTH = 0.6, BOUND = 1.1;

/** Atoms at random, a half list with some skin, and the full one. */
struct System : TOFU_TEST::AtomsAtRandom {
  int nelements;
  std::vector<int> type = std::vector<int>(N + 1, 1);
  TOFU_TEST::ListRows half, full;

  explicit System(int nelements_in) : AtomsAtRandom(N, 1e6), nelements(nelements_in)
  {
    std::mt19937 random(4711);
    std::uniform_real_distribution<double> uniform(0.0, 4.2);
    for (int i = 0; i < N; i++) {
      place(i, 0.75, random, uniform);
      rows[4 * i + 3] = i == 7 ? -1.0 : i % nelements;    // one is no element
      type[i] = 1 + i % nelements;
    }
    for (int i = 0; i < N; i++) {
      std::vector<int> all, later;
      for (int j = 0; j < N; j++) {
        if (j == i || distancesq(i, j) > 1.3 * BOUND * CUTOFF * CUTOFF) continue;
        all.push_back(TOFU_TEST::entry_of(j, j % 5 ? 0 : 1));
        if (j > i) later.push_back(all.back());
      }
      half.append({}, later, N);
      full.append({}, all, N);
    }
  }

  int element(int i) const { return static_cast<int>(rows[4 * i + 3]); }
};

/** With three elements ellipses of two of them have no bound. */
MEAMTables make_tables(int nelements, bool two_sets)
{
  MEAMTables tables;
  tables.nelements = nelements;
  tables.two_sets = two_sets;
  tables.cutoff = CUTOFF;
  tables.width = WIDTH;
  tables.reach = nelements == 3 ? HUGE_VAL : 1.000001 * BOUND * CUTOFF * CUTOFF;
  tables.nr = 60;
  tables.rdr = (tables.nr - 1) / CUTOFF;
  for (int i = 0; i < nelements; i++) {
    std::array<MEAMTables::Element, 2> element{};
    for (int set = 0; set < 2; set++)
      for (int m = 0; m < 4; m++) {
        element[set].shift[m] = 1.0 + 0.2 * m + 0.3 * i + 0.5 * set;
        element[set].slope[m] = 1.5 - 0.1 * m + 0.2 * i + 0.3 * set;
        element[set].strength[m] = element[set].force_strength[m] = 0.5 + 0.1 * m * (1 + i - set);
      }
    tables.elements.push_back(element);
    for (int j = 0; j < nelements; j++) {
      tables.bound.push_back(i == j ? BOUND : i + j == 3 ? HUGE_VAL : 0.97 * BOUND);
      const int low = std::min(i, j), high = std::max(i, j), which = high * (high + 1) / 2 + low;
      tables.spline_of.push_back(which * tables.nr);
      for (int k = 0; k < nelements; k++) {
        tables.cmin.push_back(0.4 + 0.2 * k + 0.1 * (i + j));
        tables.cmax.push_back(2.6 + 0.1 * k - 0.2 * (i + j));
      }
    }
  }
  const double dr = 1.0 / tables.rdr;
  for (int n = 0; n < nelements * (nelements + 1) / 2; n++) {
    const auto value = [&](double r) {
      return (2.0 + n) * std::cos(2.0 * r + n) * std::exp(-r);
    };
    for (int k = 0; k < tables.nr; k++) {    // smooth where intervals meet
      const double a = value(k * dr), b = value((k + 1) * dr), h = 1e-5;
      const double s = (value(k * dr + h) - value(k * dr - h)) / (2 * h) * dr,
                   t = (value((k + 1) * dr + h) - value((k + 1) * dr - h)) / (2 * h) * dr;
      for (double c : {s + t - 2.0 * (b - a), 3.0 * (b - a) - 2.0 * s - t, s, a})
        tables.splines.push_back(c);
    }
  }
  return tables;
}

/** 1 far inside, 0 outside. */
double fade(double place)
{
  if (place >= 1.0) return 1.0;
  if (place <= 0.0) return 0.0;
  return std::pow(1.0 - std::pow(1.0 - place, 4), 2);
}

double screening(const System &system, const MEAMTables &tables, int i, int j)
{
  const double ij = system.distancesq(i, j);
  if (ij >= CUTOFF * CUTOFF) return 0.0;
  const int both = system.element(i) * tables.nelements + system.element(j);
  double product = fade((CUTOFF - std::sqrt(ij)) / WIDTH);
  for (int k = 0; k < N; k++) {
    if (k == i || k == j || system.element(k) < 0) continue;
    const double ik = system.distancesq(i, k) / ij, jk = system.distancesq(j, k) / ij;
    if (ik > tables.bound[both] || jk > tables.bound[both]) continue;
    const double a = 1.0 - (ik - jk) * (ik - jk);
    if (a <= 0.0) continue;
    const double c = (2.0 * (ik + jk) + a - 2.0) / a;
    const double low = tables.cmin[both * tables.nelements + system.element(k)],
                 high = tables.cmax[both * tables.nelements + system.element(k)];
    product *= fade((c - low) / (high - low));
  }
  return product;
}

/** Sums of all atoms, in the order of MEAMRow, and the energy of pairs. */
std::vector<double> sums_of(const System &system, const MEAMTables &tables, double &pairs)
{
  const MEAMRow layout = tables.row();
  std::vector<double> sums(static_cast<std::size_t>(layout.stride()) * (N + 1), 0.0);
  pairs = 0.0;
  for (int i = 0; i < N; i++)
    for (int j = i + 1; j < N; j++) {
      if (system.element(i) < 0 || system.element(j) < 0) continue;
      const double s = screening(system, tables, i, j), r = std::sqrt(system.distancesq(i, j));
      if (s == 0.0) continue;
      const int m = static_cast<int>(r * tables.rdr);
      const double p = r * tables.rdr - m;
      const double *const c =
          &tables.splines
               [4 *
                (tables.spline_of[system.element(i) * tables.nelements + system.element(j)] + m)];
      pairs += s * (((c[0] * p + c[1]) * p + c[2]) * p + c[3]);
      for (const bool swapped : {false, true}) {
        const int to = swapped ? j : i, from = swapped ? i : j;
        double n[3];
        for (int dim = 0; dim < 3; dim++)
          n[dim] = (system.rows[4 * from + dim] - system.rows[4 * to + dim]) / r;
        double *const row = &sums[static_cast<std::size_t>(layout.stride()) * to];
        for (int set = 0; set < layout.nblocks; set++) {
          double density[4];
          const MEAMTables::Element &element = tables.elements[system.element(from)][set];
          for (int k = 0; k < 4; k++)
            density[k] =
                s * element.strength[k] * std::exp(element.shift[k] - element.slope[k] * r);
          if (set == 0) row[layout.spherical() + system.element(from)] += density[0];
          double *const block = row + MEAMRow::BLOCK * set;
          block[MEAMRow::SECOND_TRACE] += density[2];
          int second = MEAMRow::SECOND, third = MEAMRow::THIRD;
          for (int a = 0; a < 3; a++) {
            block[MEAMRow::FIRST + a] += density[1] * n[a];
            block[MEAMRow::THIRD_TRACE + a] += density[3] * n[a];
            for (int b = a; b < 3; b++) {
              block[second++] += density[2] * n[a] * n[b];
              for (int c3 = b; c3 < 3; c3++) block[third++] += density[3] * n[a] * n[b] * n[c3];
            }
          }
        }
      }
    }
  return sums;
}

/** An energy of one atom that has derivatives of all kinds.

    \param derivatives   get those that kernels take */
double embedding(const MEAMRow &layout, const double *sums, double *derivatives)
{
  const double second_times[6] = {1, 2, 2, 1, 2, 1};
  const double third_times[10] = {1, 3, 3, 3, 6, 3, 1, 3, 3, 1};
  double energy = 0.0;
  for (int e = 0; e < layout.nelements; e++) {
    const double density = sums[layout.spherical() + e], weight = 0.3 + 0.2 * e;
    energy += weight * density + 0.01 * density * density;
    derivatives[layout.spherical() + e] = weight + 0.02 * density;
  }
  for (int set = 0; set < layout.nblocks; set++) {
    const double scale = set ? -0.04 : 0.05;
    const double *const from = sums + MEAMRow::BLOCK * set;
    double *const to = derivatives + MEAMRow::BLOCK * set;
    const auto square = [&](int place, double times, double power) {
      energy += scale * times * from[place] * from[place];
      to[place] = 2.0 * power * scale * from[place];
    };
    for (int k = 0; k < 3; k++) square(MEAMRow::FIRST + k, 1.0, 1.0);
    for (int k = 0; k < 6; k++) square(MEAMRow::SECOND + k, second_times[k], 2.0);
    for (int k = 0; k < 10; k++) square(MEAMRow::THIRD + k, third_times[k], 3.0);
    const auto trace = [&](int place, double factor) {
      energy += scale * factor * from[place] * from[place];
      to[place] = 2.0 * factor * scale * from[place];
    };
    trace(MEAMRow::SECOND_TRACE, -1.0 / 3.0);
    for (int k = 0; k < 3; k++) trace(MEAMRow::THIRD_TRACE + k, -0.6);
  }
  return energy;
}

double energy_of(const System &system, const MEAMTables &tables)
{
  double pairs;
  const std::vector<double> sums = sums_of(system, tables, pairs);
  const MEAMRow layout = tables.row();
  std::vector<double> unused(layout.stride(), 0.0);
  for (int i = 0; i < N; i++) pairs += embedding(layout, &sums[layout.stride() * i], unused.data());
  return pairs;
}

struct Result {
  std::vector<double> sums, f = std::vector<double>(4 * (N + 1), 0.0);
  std::vector<double> eatom = std::vector<double>(N + 1, 0.0);
  std::vector<double> vatom = std::vector<double>(6 * (N + 1), 0.0);
  PairTally tally;
  int npairs = 0, ntriples = 0;
};

Result found(const System &system, const MEAMTables &tables, Tallies tallies)
{
  Result result;
  PairJob job;
  job.kind = ListKind::HALF;
  job.nlocal = N;
  job.list = system.half.rows();
  job.atoms = {system.rows.data(), nullptr};
  job.forces = {nullptr, result.f.data()};
  job.tallies = tallies;
  const MEAMRow layout = tables.row();
  const std::size_t size = static_cast<std::size_t>(layout.stride()) * (N + 1);
  const MEAMFullRows full{system.full.first.data(), system.full.nneighbors.data()};
  if (tallies == Tallies::ALL) {
    result.tally.eatom = result.eatom.data();
    result.tally.vatom = reinterpret_cast<double(*)[6]>(result.vatom.data());
  }
  result.sums.assign(size, 0.0);
  MEAMPairs parts[2];
  for (int part = 0; part < 2; part++) {
    meam_screen(tables, job, full, part * N / 3, part ? N : N / 3, parts[part]);
    meam_densities(tables, parts[part], result.sums.data());
    result.npairs += parts[part].n;
    result.ntriples += parts[part].ntriples;
  }
  std::vector<double> derivatives(size, 0.0);
  for (int i = 0; i < N; i++)
    embedding(layout, &result.sums[layout.stride() * i], &derivatives[layout.stride() * i]);
  for (MEAMPairs &part : parts) meam_forces(tables, job, part, derivatives.data(), result.tally);
  return result;
}

class ModifiedEmbeddedAtoms : public testing::TestWithParam<std::tuple<int, bool, Tallies>> {};

TEST_P(ModifiedEmbeddedAtoms, AreWhatTheFormulasGive)
{
  const auto [nelements, two_sets, tallies] = GetParam();
  System system(nelements);
  std::vector<double> ones(nelements + 1, 1.0);
  const std::vector<const double *> factors(nelements + 1, ones.data());
  MEAMTables tables = make_tables(nelements, two_sets);
  if (two_sets) {    // factors of 1 change nothing
    tables.scale = factors.data();
    tables.type = system.type.data();
  }
  const int stride = tables.row().stride();
  double pairs;
  const std::vector<double> sums = sums_of(system, tables, pairs);

  double energy = 0.0;
  for (int i = 0; i < N; i += 4)
    for (int dim = 0; dim < 3; dim++) energy = std::max(energy, std::fabs(sums[stride * i + dim]));
  std::vector<double> slopes;
  for (int i = 0; i < N; i += 12)
    for (int dim = 0; dim < 3; dim++)
      slopes.push_back(
          TOFU_TEST::slope_of(system.rows[4 * i + dim], [&] { return energy_of(system, tables); }));

  TOFU_TEST::for_each_instruction_set([&, tallies = tallies] {
    const Result result = found(system, tables, tallies);
    EXPECT_GT(result.npairs, N);
    EXPECT_GT(result.ntriples, N);
    const double largest = TOFU_TEST::largest(result.f);
    for (std::size_t n = 0; n < sums.size(); n++)
      ASSERT_NEAR(result.sums[n], sums[n], 1e-12 * (1.0 + energy)) << "number " << n % stride;
    for (std::size_t n = 0; n < slopes.size(); n++)
      ASSERT_NEAR(result.f[4 * (n / 3 * 12) + n % 3], -slopes[n], 1e-7 * largest)
          << "atom " << n / 3 * 12;

    for (int c = 0; c < 6 && tallies != Tallies::NONE; c++) {
      const double virial = TOFU_TEST::virial_of(c, N, system.rows, result.f, 4);
      double of_atoms = 0.0;
      for (int i = 0; i < N; i++) of_atoms += result.vatom[6 * i + c];
      EXPECT_NEAR(result.tally.virial[c], virial, 1e-11 * largest * N);
      if (tallies != Tallies::ALL) continue;
      EXPECT_NEAR(of_atoms, virial, 1e-11 * largest * N);
    }
    if (tallies != Tallies::ALL) return;
    double of_atoms = 0.0;
    for (double e : result.eatom) of_atoms += e;
    EXPECT_NEAR(result.tally.evdwl, pairs, 1e-11 * N);
    EXPECT_NEAR(of_atoms, pairs, 1e-11 * N);
  });
}

INSTANTIATE_TEST_SUITE_P(All, ModifiedEmbeddedAtoms,
                         testing::Values(std::tuple(1, false, Tallies::ALL),
                                         std::tuple(2, false, Tallies::VIRIAL),
                                         std::tuple(3, true, Tallies::ALL),
                                         std::tuple(1, true, Tallies::NONE)));

TEST(ModifiedEmbeddedAtomsWithoutAtoms, AreNothing)
{
  const MEAMTables tables = make_tables(1, false);
  MEAMPairs pairs;
  PairJob job;
  PairTally tally;
  meam_screen(tables, job, {}, 0, 0, pairs);
  meam_densities(tables, pairs, nullptr);
  meam_forces(tables, job, pairs, nullptr, tally);
  EXPECT_EQ(pairs.n, 0);
}

/** An exponential of the angular densities, and x log(x) of the density. */
class Functions : public MEAMFunctions {
 public:
  double g(int element, double gamma, double &slope, int &failure) const override
  {
    if (element == MISSING) failure = 7;
    const double value = std::exp(0.4 * gamma);
    slope = 0.4 * value;
    return value;
  }

  double energy(int element, double density, double &slope) const override
  {
    const double factor = 0.7 + element;
    slope = factor * (1.0 + std::log(density));
    return factor * density * std::log(density);
  }

  static constexpr int MISSING = 1;
};

using Weights = MEAMEmbedding::Weights;

class MEAMEmbeddingOfOneAtom :
    public testing::TestWithParam<std::tuple<Weights, bool, bool, bool>> {
 protected:
  Functions functions;
  MEAMEmbedding all;

  MEAMEmbeddingOfOneAtom()
  {
    bool two_sets;
    std::tie(all.weights, all.averaged_reference, all.reference_is_spherical, two_sets) =
        GetParam();
    all.layout = make_tables(2, two_sets).row();
    all.functions = &functions;
    all.elements.resize(2);
    for (int e = 0; e < 2; e++) {
      MEAMEmbedding::Element &element = all.elements[e];
      for (int m = 0; m < 3; m++) {
        element.weight[m] = 0.5 + 0.3 * m - 0.4 * e;
        element.shape[m] = 2.0 + m;
      }
      element.scale = 1.1;
      element.reference_density = 9.0;
      element.reference_neighbors = 12.0;
      element.has_shape = true;
    }
  }

  std::vector<double> row() const
  {
    double pairs;
    const bool two_sets = all.layout.nblocks > 1;
    const auto sums = sums_of(System(2), make_tables(2, two_sets), pairs);
    const auto begin = sums.begin() + all.layout.stride() * 4;
    return {begin, begin + all.layout.stride()};
  }
};

/** Each component of a unit vector in a product of them has its share of a derivative, and so has
    each order of different components. */
double by_components(const MEAMRow &layout, int place)
{
  constexpr double SECOND[6] = {2, 1, 1, 2, 1, 2};
  constexpr double THIRD[10] = {3, 1, 1, 1, 0.5, 1, 3, 1, 1, 3};
  if (place >= layout.spherical()) return 1.0;
  const int in_block = place % MEAMRow::BLOCK;
  if (in_block >= MEAMRow::THIRD) return THIRD[in_block - MEAMRow::THIRD];
  return in_block >= MEAMRow::SECOND ? SECOND[in_block - MEAMRow::SECOND] : 1.0;
}

TEST_P(MEAMEmbeddingOfOneAtom, GivesTheDerivativesOfItsEnergy)
{
  const std::vector<double> sums = row();
  std::vector<double> derivatives = sums;
  int failure = 0;
  const double energy = all.embed(0, derivatives.data(), failure);
  ASSERT_EQ(failure, 0);
  ASSERT_GT(std::fabs(energy), 0.01);
  for (int place = 0; place < all.layout.n(); place++) {
    const auto energy_at = [&](double by) {
      std::vector<double> moved = sums;
      moved[place] += by;
      return all.embed(0, moved.data(), failure);
    };
    const double h = 1e-5, slope = (energy_at(h) - energy_at(-h)) / (2.0 * h);
    EXPECT_NEAR(derivatives[place], by_components(all.layout, place) * slope, 1e-8) << place;
  }
}

TEST_P(MEAMEmbeddingOfOneAtom, TellsThatThereIsNoFunction)
{
  std::vector<double> sums = row();
  int failure = 0;
  EXPECT_EQ(all.embed(Functions::MISSING, sums.data(), failure), 0.0);
  EXPECT_EQ(failure, 7);
}

INSTANTIATE_TEST_SUITE_P(All, MEAMEmbeddingOfOneAtom,
                         testing::Values(std::tuple(Weights::BY_DENSITIES, false, false, false),
                                         std::tuple(Weights::BY_DENSITIES, true, false, false),
                                         std::tuple(Weights::BY_SQUARES, true, false, false),
                                         std::tuple(Weights::BY_SQUARES, false, true, false),
                                         std::tuple(Weights::OF_CENTER, true, false, false),
                                         std::tuple(Weights::BY_DENSITIES, false, true, true)));

}    // namespace
