// SPDX-License-Identifier: GPL-2.0-only
//
// Dissipative particle dynamics against its formula, pair by pair, with random numbers that are
// computed one by one; and whether these numbers are random.

#include "star.h"
#include "unit/kernels/simd/instruction_sets.h"

#include "kernels/pair/dpd.h"

using namespace TOFU_NS;

namespace {

using Words = std::array<std::uint32_t, 4>;

/** Philox-4x32-10 of Salmon et al. */
Words philox(Words c, std::array<std::uint32_t, 2> key)
{
  for (int round = 0; round < 10; round++) {
    const std::uint64_t first = std::uint64_t{0xD2511F53} * c[0],
                        second = std::uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<std::uint32_t>(second >> 32) ^ c[1] ^ key[0],
         static_cast<std::uint32_t>(second),
         static_cast<std::uint32_t>(first >> 32) ^ c[3] ^ key[1],
         static_cast<std::uint32_t>(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return c;
}

double noise_of(std::uint32_t seed, std::uint64_t step, std::uint64_t i, std::uint64_t j)
{
  const std::uint64_t less = std::min(i, j), more = std::max(i, j);
  const auto upper = [](std::uint64_t n) {
    return static_cast<std::uint32_t>(n >> 32);
  };
  const Words w =
      philox({static_cast<std::uint32_t>(less), upper(less) | (upper(step) & 0xFFF) << 20,
              static_cast<std::uint32_t>(more), upper(more)},
             {seed, static_cast<std::uint32_t>(step)});
  const auto fraction = [](std::uint32_t high, std::uint32_t low) {
    return static_cast<double>((std::uint64_t{high} << 32 | low) >> 12) / 4503599627370496.0;
  };
  return std::sqrt(-2.0 * std::log(1.0 - fraction(w[0], w[1]))) *
      std::cos(2.0 * M_PI * fraction(w[2], w[3]));
}

constexpr int NEIGHBORS = 1103, NSPECIAL = 101, NTYPES = 3;
constexpr double CUT[NTYPES + 1] = {0.0, 1.0, 1.2, 0.9}, LARGEST_CUT = 1.2;
const double SPECIAL_LJ[4] = {1.0, 0.0, 0.4, 0.7};

/** Atom 0 and its neighbors, some of which are beyond the cut-off; the last has its place. */
struct Star : TOFU_TEST::StarOfAtoms {
  std::vector<double> v;

  explicit Star(double closest = 0.0, double farthest = 1.4,
                std::mt19937 random = std::mt19937(4711)) :
      StarOfAtoms(NEIGHBORS, NSPECIAL, closest, farthest, random,
                  [](int j) { return j < 1000 ? j : 3e9 + j; })
  {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    rows[3] = 500.0;
    for (int k = 0; k < 3 * (NEIGHBORS + 1); k++) v.push_back(uniform(random));
  }

  /** Force over distance of each pair, and its energy. */
  void compute(DpdCoefficients c, ListKind kind, bool energies, std::vector<double> &force,
               std::vector<double> &energy) const
  {
    std::vector<double> f, eatom;
    c.v = v.data();
    StarOfAtoms::compute(
        kind, energies, SPECIAL_LJ, nullptr,
        [&](const PairJob &job, PairTally &tally) { dissipative_particles(c, job, 0, 1, tally); },
        f, eatom);
    double sum[3] = {};
    force.clear();
    energy.clear();
    for (int j = 1; j <= NEIGHBORS; j++) {
      for (int dim = 0; dim < 3; dim++) sum[dim] += f[4 * j + dim];
      const double rsq = squared_distance(j);
      force.push_back(rsq > 0.0 ? along(f, j) / rsq : f[4 * j]);
      energy.push_back(2.0 * eatom[j]);
    }
    for (int dim = 0; dim < 3; dim++) EXPECT_NEAR(sum[dim], -f[dim], 1e-9) << "momentum";
  }
};

std::vector<double> make_table()
{
  std::vector<double> table((NTYPES + 1) * (NTYPES + 1) * DpdCoefficients::NCOEFFICIENTS, 0.0);
  for (int i = 1; i <= NTYPES; i++)
    for (int j = 1; j <= NTYPES; j++) {
      double *const c = &table[(i * (NTYPES + 1) + j) * DpdCoefficients::NCOEFFICIENTS];
      c[0] = CUT[j] * CUT[j];
      c[1] = 1.0 / CUT[j];
      c[2] = 25.0 + j;
      c[3] = 4.5 - j;
    }
  return table;
}

DpdCoefficients coefficients(const std::vector<double> &table, double noise)
{
  DpdCoefficients c;
  c.ntypes = NTYPES;
  c.table.doubles = table.data();
  c.largest_cutsq = LARGEST_CUT * LARGEST_CUT;
  c.noise = noise;
  c.seed = 12345;
  c.step = (std::uint64_t{3} << 32) + 77;
  return c;
}

/** Random numbers of the pairs of one type of atoms: the force is nothing else. */
std::vector<double> noises(const Star &star, double tag, std::uint32_t seed, std::uint64_t step)
{
  const double r = std::sqrt(star.squared_distance(1));
  std::vector<double> table(4 * DpdCoefficients::NCOEFFICIENTS, 0.0);
  double *const one = &table[3 * DpdCoefficients::NCOEFFICIENTS];
  one[0] = 1.0;
  one[1] = 1.0;
  one[3] = 1e-30;    // friction is below rounding
  DpdCoefficients c;
  c.ntypes = 1;
  c.table.doubles = table.data();
  c.largest_cutsq = 1.0;
  c.noise = 1e30;
  c.seed = seed;
  c.step = step;
  Star other = star;
  other.rows[3] = tag;
  std::vector<double> force, energy;
  other.compute(c, ListKind::HALF, false, force, energy);
  std::vector<double> found;    // against the force that f[j] holds
  for (int j = NSPECIAL + 1; j <= NEIGHBORS; j++) found.push_back(force[j - 1] * r / (1.0 - r));
  return found;
}

double correlation(const std::vector<double> &a, const std::vector<double> &b, std::size_t shift)
{
  double sum = 0.0;
  for (std::size_t k = shift; k < a.size(); k++) sum += a[k] * b[k - shift];
  return sum / static_cast<double>(a.size() - shift);
}

}    // namespace

TEST(Dpd, TheGeneratorHasItsKnownAnswers)
{
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Dpd, ForcesAndEnergiesAreThoseOfTheFormula)
{
  const Star star;
  const std::vector<double> table = make_table();
  std::vector<double> force, energy;
  TOFU_TEST::for_each_instruction_set([&] {
    for (double noise : {0.0, 150.0})
      for (ListKind kind : {ListKind::HALF, ListKind::HALF_NO_GHOST})
        for (bool energies : {false, true}) {
          const DpdCoefficients c = coefficients(table, noise);
          star.compute(c, kind, energies, force, energy);
          for (int j = 1; j <= NEIGHBORS; j++) {
            const double r = std::sqrt(star.squared_distance(j)), cut = CUT[star.types[j]];
            const double a0 = 25.0 + star.types[j], gamma = 4.5 - star.types[j];
            const double factor = j <= NSPECIAL ? SPECIAL_LJ[1 + j % 3] : 1.0;
            if (r >= cut || r == 0.0) {
              EXPECT_EQ(force[j - 1], 0.0) << "distance " << r;
              continue;
            }
            double dot = 0.0;
            for (int dim = 0; dim < 3; dim++)
              dot += star.rows[4 * j + dim] * (star.v[3 * j + dim] - star.v[dim]);
            const double w = 1.0 - r / cut;
            const double random =
                noise_of(c.seed, c.step, 500, static_cast<std::uint64_t>(star.rows[4 * j + 3]));
            const double expected = factor * (a0 * w - gamma * w * w * dot / r) +
                std::sqrt(factor * noise * gamma) * w * random;
            EXPECT_NEAR(force[j - 1] * r, expected, 1e-12 * (1.0 + std::fabs(expected)))
                << "distance " << r;
            if (energies) EXPECT_NEAR(energy[j - 1], factor * 0.5 * a0 * cut * w * w, 1e-13 * 30.0);
          }
        }
  });
}

TEST(Dpd, BothAtomsOfAPairHaveItsNumber)
{
  const Star star(0.5, 0.5);
  const std::vector<double> found = noises(star, 777.0, 5, 9);
  for (int j = NSPECIAL + 1; j <= NEIGHBORS; j++) {
    const auto tag = static_cast<std::uint64_t>(star.rows[4 * j + 3]);
    if (tag == 777) continue;
    EXPECT_EQ(noise_of(5, 9, tag, 777), noise_of(5, 9, 777, tag));
    EXPECT_NEAR(found[j - NSPECIAL - 1], noise_of(5, 9, tag, 777), 1e-11);
  }
}

TEST(Dpd, NumbersAreNormalAndDoNotDependOnEachOther)
{
  const Star star(0.5, 0.5);
  double moments[5] = {};
  std::size_t n = 0;
  double next_pair = 0.0, next_step = 0.0, next_atom = 0.0, next_seed = 0.0;
  constexpr int STEPS = 100;
  for (int step = 0; step < STEPS; step++) {
    const std::vector<double> found = noises(star, 100000.0, 5, step);
    for (double x : found) {
      for (int k = 1; k < 5; k++) moments[k] += std::pow(x, k);
      n++;
    }
    next_pair += correlation(found, found, 1) / STEPS;
    next_step += correlation(found, noises(star, 100000.0, 5, step + 1), 0) / STEPS;
    next_atom += correlation(found, noises(star, 100001.0, 5, step), 0) / STEPS;
    next_seed += correlation(found, noises(star, 100000.0, 6, step), 0) / STEPS;
  }
  const double error = 5.0 / std::sqrt(static_cast<double>(n));    // 5 standard deviations
  EXPECT_NEAR(moments[1] / n, 0.0, error);
  EXPECT_NEAR(moments[2] / n, 1.0, error * std::sqrt(2.0));
  EXPECT_NEAR(moments[3] / n, 0.0, error * std::sqrt(15.0));
  EXPECT_NEAR(moments[4] / n, 3.0, error * std::sqrt(96.0));
  for (double sum : {next_pair, next_step, next_atom, next_seed}) EXPECT_NEAR(sum, 0.0, error);
}
