// SPDX-License-Identifier: GPL-2.0-only
//
// Van der Waals and Coulomb forces of ReaxFF against LAMMPS' formulas in long double, pair by pair:
// one atom has all others as neighbors.

#include "unit/kernels/data/compared_values.h"
#include "unit/kernels/pair/star.h"
#include "unit/kernels/simd/instruction_sets.h"

#include "kernels/reaxff/far_pairs.h"
#include "kernels/reaxff/far_rows.h"
#include "kernels/reaxff/shielded_distance.h"

#include <limits>
#include <set>
#include <tuple>

using namespace TOFU_NS;
using namespace TOFU_TEST;
using Real = long double;

namespace {

constexpr int NEIGHBORS = 1100;    // more than the loop takes at a time
constexpr int NTYPES = StarOfAtoms::NTYPES;
constexpr double CUT = 10.0;
const double NO_FACTORS[4] = {1.0, 1.0, 1.0, 1.0};

/** With a taper from a to the cut-off, whose coefficients are LAMMPS'. */
FarPairTerms terms_of(bool shielded, bool wall, bool dispersion, double a = 0.0)
{
  const double b = CUT, width7 = std::pow(b - a, 7.0);
  const double a2 = a * a, a3 = a2 * a, b2 = b * b, b3 = b2 * b;
  FarPairTerms terms;
  terms.shielded = shielded;
  terms.wall = wall;
  terms.dispersion = dispersion;
  terms.p = 1.5591;
  terms.cut = b;
  terms.taper[7] = 20.0 / width7;
  terms.taper[6] = -70.0 * (a + b) / width7;
  terms.taper[5] = 84.0 * (a2 + 3.0 * a * b + b2) / width7;
  terms.taper[4] = -35.0 * (a3 + 9.0 * a2 * b + 9.0 * a * b2 + b3) / width7;
  terms.taper[3] = 140.0 * (a3 * b + 3.0 * a2 * b2 + a * b3) / width7;
  terms.taper[2] = -210.0 * (a3 * b2 + a2 * b3) / width7;
  terms.taper[1] = 140.0 * a3 * b3 / width7;
  terms.taper[0] =
      (-35.0 * a3 * b2 * b2 + 21.0 * a2 * b3 * b2 - 7.0 * a * b3 * b3 + b3 * b3 * b) / width7;
  return terms;
}

/** Like carbon, with hydrogen, oxygen and gold. */
FarPairParameters parameters_of(int type)
{
  FarPairParameters p;
  p.D = 0.05 + 0.06 * type;
  p.alpha = 8.0 + 1.3 * type;
  p.r_vdW = 3.9 - 0.4 * type;
  p.gamma_w = type == 3 ? 14.0 : 1.1 + 0.7 * type;
  p.ecore = 0.08 * type;
  p.acore = 11.0 + type;
  p.rcore = 1.0 + 0.2 * type;
  p.lgcij = 350.0 * type;
  p.lgre = 1.7 + 0.2 * type;
  p.gamma = std::pow(0.4 + 0.3 * type, -3.0);
  return p;
}

struct PairOfFormulas {
  Real slope = 0.0L;    // of the energy by the distance, divided by the distance
  Real evdwl = 0.0L, ecoul = 0.0L;
  Real evdwl_parts = 0.0L, ecoul_parts = 0.0L;    // sums of absolute values
};

/** Formulas as in LAMMPS' vdW_Coulomb_Energy(). */
PairOfFormulas formulas(const FarPairTerms &terms, const FarPairParameters &c, Real r, Real qq)
{
  PairOfFormulas pair;
  Real tap = 0.0L, dtap = 0.0L;
  for (int k = 7; k >= 0; k--) {
    tap = tap * r + Real(terms.taper[k]);
    if (k > 0) dtap = dtap * r + k * Real(terms.taper[k]);
  }
  dtap /= r;
  const auto add_vdw = [&](Real energy, Real slope) {
    pair.evdwl += tap * energy;
    pair.slope += dtap * energy + tap * slope;
    pair.evdwl_parts += std::fabs(energy);
  };

  const Real p = terms.p, alpha = c.alpha, r_vdw = c.r_vdW, inverse = 1.0L / p;
  Real distance = r, ddistance = 1.0L / r;
  if (terms.shielded) {
    const Real sum = std::pow(r, p) + std::pow(1.0L / c.gamma_w, p);
    distance = std::pow(sum, inverse);
    ddistance = std::pow(sum, inverse - 1.0L) * std::pow(r, p - 2.0L);
  }
  const Real exp1 = std::exp(alpha * (1.0L - distance / r_vdw)),
             exp2 = std::exp(0.5L * alpha * (1.0L - distance / r_vdw));
  add_vdw(c.D * (exp1 - 2.0L * exp2), -c.D * (alpha / r_vdw) * (exp1 - exp2) * ddistance);
  pair.evdwl_parts += c.D * (exp1 + 2.0L * exp2);
  if (terms.wall) {
    const Real wall = c.ecore * std::exp(Real(c.acore) * (1.0L - r / c.rcore));
    add_vdw(wall, -(Real(c.acore) / c.rcore) * wall / r);
  }
  if (terms.wall && terms.dispersion) {
    const Real r6 = std::pow(r, 6.0L), re6 = std::pow(Real(c.lgre), 6.0L);
    const Real lg = -c.lgcij / (r6 + re6);
    add_vdw(lg, -6.0L * lg * std::pow(r, 5.0L) / (r6 + re6) / r);
  }

  const Real cubes = r * r * r + c.gamma, root = std::pow(cubes, 0.33333333333333L);
  pair.ecoul = 332.06371L * qq * tap / root;
  pair.ecoul_parts = std::fabs(332.06371L * qq / root);
  pair.slope += 332.06371L * qq * (dtap - tap * r / cubes) / root;
  return pair;
}

struct FarStar : StarOfAtoms {
  explicit FarStar(double shortest, std::mt19937 random = std::mt19937(471)) :
      StarOfAtoms(NEIGHBORS, 0, shortest, 1.05 * CUT, random,
                  [&](int) { return std::uniform_real_distribution<double>(-0.9, 0.9)(random); })
  {
    rows[3] = 0.83;
  }

  PairOfFormulas expected(const FarPairTerms &terms, int j) const
  {
    Real rsq = 0.0L;
    for (int dim = 0; dim < 3; dim++) rsq += Real(rows[4 * j + dim]) * Real(rows[4 * j + dim]);
    if (rsq >= CUT * CUT) return {};
    return formulas(terms, parameters_of(types[j]), std::sqrt(rsq),
                    Real(rows[3]) * rows[4 * j + 3]);
  }

  PairTally compute(const FarPairs &pairs, bool energies, std::vector<double> &f,
                    std::vector<double> &eatom) const
  {
    return StarOfAtoms::compute(
        ListKind::HALF, energies, NO_FACTORS, NO_FACTORS,
        [&](const PairJob &job, PairTally &tally) { far_pairs(pairs, job, 0, 1, tally); }, f,
        eatom);
  }
};

FarPairs pairs_of(const FarPairTerms &terms)
{
  FarPairs pairs(NTYPES, terms);
  for (int type = 1; type <= NTYPES; type++) pairs.set(type, 1, parameters_of(type));
  return pairs;
}

void expect_formulas(const FarPairTerms &terms)
{
  const FarStar star(0.55);
  const FarPairs pairs = pairs_of(terms);
  std::vector<PairOfFormulas> expected(NEIGHBORS + 1);
  Real largest_force = 0.0L, evdwl = 0.0L, ecoul = 0.0L, evdwl_parts = 0.0L, ecoul_parts = 0.0L;
  for (int j = 1; j <= NEIGHBORS; j++) {
    const PairOfFormulas pair = expected[j] = star.expected(terms, j);
    largest_force =
        std::max(largest_force, std::fabs(pair.slope) * std::sqrt(Real(star.squared_distance(j))));
    evdwl += pair.evdwl;
    ecoul += pair.ecoul;
    evdwl_parts += pair.evdwl_parts;
    ecoul_parts += pair.ecoul_parts;
  }
  for_each_instruction_set([&] {
    for (bool energies : {false, true}) {
      std::vector<double> f, eatom;
      const PairTally tally = star.compute(pairs, energies, f, eatom);
      for (int j = 1; j <= NEIGHBORS; j++) {
        const double r = std::sqrt(star.squared_distance(j));
        const PairOfFormulas &pair = expected[j];
        const Real scale = std::fabs(pair.slope) * r + 0.1L * (pair.evdwl_parts + pair.ecoul_parts);
        EXPECT_NEAR(star.along(f, j) / r, static_cast<double>(-pair.slope * r),
                    static_cast<double>(std::min(1e-10L * largest_force, 2e-12L * scale)))
            << "distance " << r << " of type " << star.types[j];
        if (energies) {
          EXPECT_NEAR(2.0 * eatom[j], static_cast<double>(pair.evdwl + pair.ecoul),
                      static_cast<double>(1e-13L * (pair.evdwl_parts + pair.ecoul_parts)))
              << "distance " << r << " of type " << star.types[j];
        }
      }
      if (!energies) continue;
      EXPECT_NEAR(tally.evdwl, static_cast<double>(evdwl),
                  static_cast<double>(1e-13L * evdwl_parts));
      EXPECT_NEAR(tally.ecoul, static_cast<double>(ecoul),
                  static_cast<double>(1e-13L * ecoul_parts));
      for (int component = 0; component < 6; component++)
        EXPECT_NEAR(tally.virial[component], virial_of(component, NEIGHBORS + 1, star.rows, f, 4),
                    1e-9 * std::fabs(tally.virial[component]) + 1e-8);
    }
  });
}

TEST(FarPairs, ShieldingHasLAMMPSFormulas)
{
  expect_formulas(terms_of(true, false, false));
}

TEST(FarPairs, AnInnerWallHasLAMMPSFormulas)
{
  expect_formulas(terms_of(false, true, false));
}

TEST(FarPairs, ShieldingWithAnInnerWallHasLAMMPSFormulas)
{
  expect_formulas(terms_of(true, true, false));
}

TEST(FarPairs, DispersionHasLAMMPSFormulasWithAWallOnly)
{
  expect_formulas(terms_of(true, true, true));
  expect_formulas(terms_of(false, true, true));
  expect_formulas(terms_of(true, false, true));
}

TEST(FarPairs, TheTaperMayBeginBeyondZero)
{
  expect_formulas(terms_of(true, false, false, 1.0));
}

TEST(FarPairs, ForcesAreSlopesOfEnergies)
{
  constexpr double H = 1e-5;
  for (bool shielded : {false, true}) {
    const FarPairs pairs = pairs_of(terms_of(shielded, true, true));
    const FarStar star(0.8);
    FarStar wider = star, closer = star;
    for (int j = 1; j <= NEIGHBORS; j++)
      for (int dim = 0; dim < 3; dim++) {
        wider.rows[4 * j + dim] *= 1.0 + H;
        closer.rows[4 * j + dim] *= 1.0 - H;
      }
    for_each_instruction_set([&] {
      std::vector<double> f, unused, energy, more, less;
      star.compute(pairs, true, f, energy);
      wider.compute(pairs, true, unused, more);
      closer.compute(pairs, true, unused, less);
      for (int j = 1; j <= NEIGHBORS; j++) {
        const double slope = (more[j] - less[j]) / H;    // of twice the half of an atom
        EXPECT_NEAR(star.along(f, j), -slope, 1e-6 * (1.0 + std::fabs(slope)))
            << "distance " << std::sqrt(star.squared_distance(j));
      }
    });
  }
}

TEST(FarPairs, TypesWithoutElementHaveNoForces)
{
  const FarStar star(0.8);
  FarPairs pairs(NTYPES, terms_of(true, true, true));
  pairs.set(1, 2, parameters_of(2));
  for_each_instruction_set([&] {
    std::vector<double> f, eatom;
    star.compute(pairs, true, f, eatom);
    for (int j = 1; j <= NEIGHBORS; j++)
      if (star.types[j] != 2) {
        EXPECT_EQ(0.0, star.along(f, j));
        EXPECT_EQ(0.0, eatom[j]);
      }
  });
}

TEST(FarPairs, ElementsWithoutSomeParametersLackTheseTermsAlone)
{
  const FarStar star(0.8);
  const FarPairTerms terms = terms_of(true, true, false);
  FarPairParameters bare = parameters_of(1);
  bare.gamma_w = bare.rcore = 0.0;
  bare.gamma = std::numeric_limits<double>::infinity();
  FarPairs pairs(NTYPES, terms);
  pairs.set(1, 1, bare);
  bare.gamma = 2.0;
  pairs.set(1, 2, bare);
  for_each_instruction_set([&] {
    std::vector<double> f, eatom;
    star.compute(pairs, true, f, eatom);
    for (int j = 1; j <= NEIGHBORS; j++) {
      if (star.types[j] == 1) {
        EXPECT_NEAR(0.0, star.along(f, j), 1e-80);
      } else if (star.types[j] == 2) {
        const Real r = std::sqrt(Real(star.squared_distance(j)));
        const PairOfFormulas pair = r < CUT
            ? formulas(terms, bare, r, Real(star.rows[3]) * star.rows[4 * j + 3])
            : PairOfFormulas();
        EXPECT_NEAR(2.0 * eatom[j], static_cast<double>(pair.ecoul), 1e-11);
      }
    }
  });
}

TEST(FarPairs, ParametersThatAreNoNumbersHaveNoEnergiesThatLookRight)
{
  using Parameter = double FarPairParameters::*;
  const FarStar star(0.8);
  for (const Parameter parameter :
       {&FarPairParameters::alpha, &FarPairParameters::r_vdW, &FarPairParameters::gamma_w,
        &FarPairParameters::rcore, &FarPairParameters::acore, &FarPairParameters::D}) {
    FarPairParameters wrong = parameters_of(2);
    wrong.*parameter = std::numeric_limits<double>::quiet_NaN();
    FarPairs pairs(NTYPES, terms_of(true, true, false));
    pairs.set(1, 2, wrong);
    for_each_instruction_set([&] {
      std::vector<double> f, eatom;
      EXPECT_TRUE(std::isnan(star.compute(pairs, true, f, eatom).evdwl));
    });
  }
}

TEST(FarPairs, CloseAtomsAndLongShieldingHaveTheirForces)
{
  const FarPairTerms terms = terms_of(true, false, false);
  for (double gamma_w : {0.01, 0.51, 60.0, 900.0}) {
    FarStar star(1e-3);
    star.types.assign(star.types.size(), 1);
    FarPairParameters c = parameters_of(1);
    c.gamma_w = gamma_w;
    FarPairs pairs(NTYPES, terms);
    pairs.set(1, 1, c);
    for_each_instruction_set([&] {
      std::vector<double> f, eatom;
      star.compute(pairs, true, f, eatom);
      for (int j = 1; j <= NEIGHBORS; j++) {
        const Real r = std::sqrt(Real(star.squared_distance(j)));
        if (r >= CUT) continue;
        const PairOfFormulas pair =
            formulas(terms, c, r, Real(star.rows[3]) * star.rows[4 * j + 3]);
        const Real parts = pair.evdwl_parts + pair.ecoul_parts;
        EXPECT_NEAR(2.0 * eatom[j], static_cast<double>(pair.evdwl + pair.ecoul),
                    static_cast<double>(1e-13L * parts))
            << "distance " << static_cast<double>(r);
        EXPECT_NEAR(star.along(f, j), static_cast<double>(-pair.slope * r * r),
                    static_cast<double>(2e-12L * (std::fabs(pair.slope) * r * r + parts)))
            << "distance " << static_cast<double>(r);
      }
    });
  }
}

TEST(ShieldedDistance, TheTableHasTheFunctionToRounding)
{
  constexpr int N = ShieldedDistance::NCOEFFICIENTS;
  for (double p : {1.0, 1.5591, 2.3}) {
    const std::vector<double> table = ShieldedDistance::table(p);
    ASSERT_EQ(static_cast<std::size_t>(N) * ShieldedDistance::NINTERVALS, table.size());
    for (int n = 0; n < ShieldedDistance::NINTERVALS; n++) {
      const int octave = n / ShieldedDistance::PER_OCTAVE,
                of_octave = n % ShieldedDistance::PER_OCTAVE;
      const double unit = std::ldexp(1.0, ShieldedDistance::FIRST_OCTAVE + octave),
                   width = unit / ShieldedDistance::PER_OCTAVE;
      for (double part : {0.0, 0.13, 0.5, 0.77, 0.999}) {
        const double t = part * width, x = unit + of_octave * width + t;
        double value = 0.0, slope = 0.0;
        for (int k = N - 1; k >= 0; k--) {
          if (k < N - 1) slope = slope * t + value;
          value = value * t + table[static_cast<std::size_t>(N) * n + k];
        }
        const Real sum = 1.0L + std::pow(Real(x), Real(p)), exact = std::pow(sum, 1.0L / p);
        const Real exact_slope = std::pow(sum, 1.0L / p - 1.0L) * std::pow(Real(x), Real(p) - 1.0L);
        ASSERT_NEAR(value, static_cast<double>(exact), static_cast<double>(4e-15L * exact));
        ASSERT_NEAR(slope, static_cast<double>(exact_slope),
                    static_cast<double>(1e-12L * exact_slope))
            << "at " << x;
      }
    }
  }
}

/** Atoms in a small periodic box and all their images within reach, on two ranks. */
struct TwoRanks {
  static constexpr int NATOMS = 9;
  static constexpr double REACH = 10.0, EDGE = 7.5;
  std::vector<double> places;    // [NATOMS][3]

  TwoRanks()
  {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> coordinate(0.0, EDGE);
    for (int n = 0; n < 3 * NATOMS; n++) places.push_back(coordinate(random));
  }

  /** Pairs of tags with the difference of their images, each in the order that it has from the atom
      of a row. */
  using Pairs = std::multiset<std::tuple<int, int, int, int, int>>;

  /** Atoms [first, last) are owned; others and all images are ghosts. */
  Pairs pairs_of(int first, int last, const std::vector<int> &element) const
  {
    std::vector<double> x;
    std::vector<int> tags, types, images;
    const auto append = [&](int atom, int a, int b, int c) {
      const int image[3] = {a, b, c};
      for (int dim = 0; dim < 3; dim++) x.push_back(places[3 * atom + dim] + EDGE * image[dim]);
      tags.push_back(atom + 1);
      types.push_back(1 + atom % 3);
      images.insert(images.end(), image, image + 3);
    };
    for (int atom = first; atom < last; atom++) append(atom, 0, 0, 0);
    for (int a = -2; a <= 2; a++)
      for (int b = -2; b <= 2; b++)
        for (int c = -2; c <= 2; c++)
          for (int atom = 0; atom < NATOMS; atom++)
            if (a || b || c || atom < first || atom >= last) append(atom, a, b, c);

    const int nlocal = last - first, natoms = static_cast<int>(tags.size());
    ListRows list;
    for (int i = 0; i < nlocal; i++) {
      std::vector<int> special, others;
      for (int j = i + 1; j < natoms; j++) {
        double rsq = 0.0;
        for (int dim = 0; dim < 3; dim++)
          rsq += (x[3 * i + dim] - x[3 * j + dim]) * (x[3 * i + dim] - x[3 * j + dim]);
        if (rsq > REACH * REACH) continue;
        if (j % 5 == 0)
          special.push_back(entry_of(j, 1 + j % 3));
        else
          others.push_back(j);
      }
      list.append(special, others, natoms);
    }

    const FarAtoms<int> atoms{nlocal, natoms, x.data(), tags.data(), types.data(), element.data()};
    FarRows rows;
    const PairRows all = list.rows();
    rows.resize(all, natoms, 2);
    for (int time = 0; time < 2; time++) {    // memory is used again
      rows.fill(0, 0, nlocal / 2, atoms);
      rows.fill(1, nlocal / 2, nlocal, atoms);
    }
    const PairRows selected = rows.rows();
    Pairs pairs;
    EXPECT_EQ(nlocal, selected.nrows);
    for (int n = 0; n < selected.nrows; n++) {
      const int i = selected.atoms[n];
      EXPECT_EQ(0, selected.nspecial[i]);
      for (int k = 0; k < selected.nneighbors[i]; k++) {
        const int j = selected.first[i][k];
        pairs.insert({tags[i], tags[j], images[3 * j], images[3 * j + 1], images[3 * j + 2]});
      }
      for (int k = 0; k < ROW_PADDING; k++)
        EXPECT_EQ(natoms, selected.first[i][selected.nneighbors[i] + k]);
    }
    return pairs;
  }

  /** All pairs from the atom with the lower tag, and of images the upper one. */
  Pairs all(const std::vector<int> &element) const
  {
    Pairs pairs;
    for (int i = 0; i < NATOMS; i++)
      for (int j = i; j < NATOMS; j++)
        for (int a = -2; a <= 2; a++)
          for (int b = -2; b <= 2; b++)
            for (int c = -2; c <= 2; c++) {
              const int image[3] = {a, b, c};
              if (i == j && std::make_tuple(c, b, a) <= std::make_tuple(0, 0, 0)) continue;
              double rsq = 0.0;
              for (int dim = 0; dim < 3; dim++) {
                const double del = places[3 * j + dim] + EDGE * image[dim] - places[3 * i + dim];
                rsq += del * del;
              }
              if (rsq <= REACH * REACH && element[1 + i % 3] >= 0 && element[1 + j % 3] >= 0)
                pairs.insert({i + 1, j + 1, a, b, c});
            }
    return pairs;
  }
};

TEST(FarRows, EachPairIsOnOneOfTwoRanks)
{
  const TwoRanks ranks;
  const std::vector<int> element = {0, 0, 1, 2};
  TwoRanks::Pairs found = ranks.pairs_of(0, 4, element), others = ranks.pairs_of(4, 9, element);
  EXPECT_GT(found.size(), 100u);
  found.insert(others.begin(), others.end());
  EXPECT_EQ(ranks.all(element), found);
}

TEST(FarRows, TypesWithoutElementHaveNoPairs)
{
  const TwoRanks ranks;
  const std::vector<int> element = {0, 0, -1, 2};
  TwoRanks::Pairs found = ranks.pairs_of(0, 4, element), others = ranks.pairs_of(4, 9, element);
  found.insert(others.begin(), others.end());
  EXPECT_EQ(ranks.all(element), found);
}

TEST(FarRows, RoundingDoesNotMakeAnImageUpper)
{
  EXPECT_TRUE(is_upper_image(-3.0, -1.0, 7.5));
  EXPECT_FALSE(is_upper_image(3.0, 1.0, -7.5));
  EXPECT_TRUE(is_upper_image(-3.0, 7.5, -1e-14));
  EXPECT_FALSE(is_upper_image(3.0, -7.5, 1e-14));
  EXPECT_TRUE(is_upper_image(7.5, -1e-14, -1e-14));
  EXPECT_FALSE(is_upper_image(-7.5, 1e-14, 1e-14));
}

}    // namespace
