// SPDX-License-Identifier: GPL-2.0-only
//
// The kernel of many potentials against their formulas, pair by pair: one atom has all others as
// neighbors, so that the force on each of these is that of a single pair.

#include "pair_formulas.h"
#include "star.h"
#include "unit/kernels/simd/instruction_sets.h"

#include "kernels/pair/distance_tables.h"
#include "kernels/pair/pair_terms.h"

#include <atomic>

using namespace TOFU_NS;
using namespace TOFU_TEST;
using Coefficients = PairTermsCoefficients;

namespace {

constexpr int NEIGHBORS = 1100;    // more than the loop takes at a time
constexpr int NTYPES = 3;
constexpr double QQRD2E = 1.7, CUT = 2.0, CUT_SHORT = 1.8, CUT_COULOMB = 1.6;
const double SPECIAL_LJ[4] = {1.0, 0.0, 0.4, 0.7}, SPECIAL_COUL[4] = {1.0, 0.5, 0.6, 0.9};

struct Pair {
  double r, qq, factor_lj, factor_coul;
  int type;    // of the neighbor
};

struct Terms {
  double force = 0.0, evdwl = 0.0, ecoul = 0.0;
};

// the first rows are special bonds

struct Star : StarOfAtoms {
  std::vector<Pair> pairs;

  explicit Star(double shortest, double longest, std::mt19937 random = std::mt19937(4711)) :
      StarOfAtoms(NEIGHBORS, 200, shortest, longest, random,
                  [&](int) { return std::uniform_real_distribution<double>(-1.0, 1.0)(random); })
  {
    rows[3] = 0.8;
    for (int j = 1; j <= NEIGHBORS; j++)
      pairs.push_back({std::sqrt(squared_distance(j)), rows[3] * rows[4 * j + 3],
                       SPECIAL_LJ[bond(j)], SPECIAL_COUL[bond(j)], types[j]});
  }

  /** What the kernel gives for each pair. */
  std::vector<Terms> compute(const PairTerms &terms, bool energies, ListKind kind) const
  {
    return compute(energies, kind, [&](const PairJob &job, PairTally &tally) {
      pair_terms(terms, job, 0, 1, tally);
    });
  }

  std::vector<Terms> compute(bool energies, ListKind kind,
                             const std::function<void(const PairJob &, PairTally &)> &kernel) const
  {
    std::vector<double> f, eatom;
    const PairTally tally =
        StarOfAtoms::compute(kind, energies, SPECIAL_LJ, SPECIAL_COUL, kernel, f, eatom);
    std::vector<Terms> all;
    double sum = 0.0;
    for (int j = 1; j <= NEIGHBORS; j++) {
      const double r = pairs[j - 1].r, product = along(f, j);
      all.push_back({r > 0.0 ? product / (r * r) : product, 2.0 * eatom[j], 0.0});
      sum += 2.0 * eatom[j];
    }
    EXPECT_NEAR(sum, tally.evdwl + tally.ecoul, 1e-9 * (1.0 + std::fabs(sum)));
    return all;
  }
};

const Star &star()
{
  static const Star made(0.7003, 2.2);
  return made;
}

using Fill = std::function<void(Coefficients &, int type)>;
using Formula = std::function<Terms(const Pair &)>;    // force divided by distance

/** Terms with a table of coefficients. */
struct TermsOfTypes {
  std::vector<double> table;
  PairTerms terms;

  TermsOfTypes(const PairTerms &kind, const Fill &fill, double cut = CUT) :
      table((NTYPES + 1) * (NTYPES + 1) * PairTerms::NCOEFFICIENTS, 0.0), terms(kind)
  {
    for (int j = 1; j <= NTYPES; j++) {
      Coefficients c(&table[((NTYPES + 1) + j) * PairTerms::NCOEFFICIENTS], cut * cut);
      fill(c, j);
    }
    terms.ntypes = NTYPES;
    terms.table.doubles = table.data();
    terms.largest_cutsq = cut * cut;
    terms.qqrd2e = QQRD2E;
  }
};

void expect_formula(const PairTerms &kind, const Fill &fill, const Formula &formula)
{
  const TermsOfTypes made(kind, fill);
  for_each_instruction_set([&] {
    for (ListKind kind : {ListKind::HALF, ListKind::HALF_NO_GHOST})
      for (bool energies : {false, true}) {
        const std::vector<Terms> found = star().compute(made.terms, energies, kind);
        for (int k = 0; k < NEIGHBORS; k++) {
          const Pair &pair = star().pairs[k];
          const Terms one = pair.r < CUT ? formula(pair) : Terms();
          const double scale = 1.0 + std::fabs(one.force) + std::fabs(one.evdwl + one.ecoul);
          EXPECT_NEAR(found[k].force, one.force, 2e-13 * scale) << "distance " << pair.r;
          if (energies) {
            EXPECT_NEAR(found[k].evdwl, one.evdwl + one.ecoul, 2e-13 * scale)
                << "distance " << pair.r;
          }
        }
      }
  });
}

PairTerms short_range(ShortRange kind)
{
  PairTerms terms;
  terms.short_range = kind;
  return terms;
}

PairTerms charges(CoulombTerm kind, double cut)
{
  PairTerms terms;
  terms.coulomb = kind;
  terms.coul_cutsq = cut * cut;
  return terms;
}

/** The long-range part without a table. */
LongRange computed_charges()
{
  LongRange computed;
  computed.g_ewald = 1.1;
  computed.cutsq = CUT_COULOMB * CUT_COULOMB;
  computed.innersq = 1e300;
  return computed;
}

double by_type(double value, int type)
{
  return value * (1.0 + 0.1 * type);
}

/** A potential from its energy and its force. */
Formula within(double cut, std::function<Terms(const Pair &)> force_and_energy)
{
  return [=](const Pair &pair) {
    if (pair.r >= cut) return Terms();
    const Terms t = force_and_energy(pair);
    return Terms{pair.factor_lj * t.force / pair.r, pair.factor_lj * t.evdwl, 0.0};
  };
}

TEST(PairTerms, LennardJonesHasAnyOfItsPowers)
{
  const Fill fill = [](Coefficients &c, int type) {
    c.cutoffs(CUT_SHORT * CUT_SHORT, 0.0);
    c.lj(by_type(48.0, type), 24.0, 0.01);
  };
  expect_formula(short_range(ShortRange::LJ_12_6), fill, within(CUT_SHORT, [](const Pair &p) {
                   const double a = by_type(48.0, p.type) / 12.0;
                   return Terms{12.0 * a / std::pow(p.r, 13) - 24.0 / std::pow(p.r, 7),
                                a / std::pow(p.r, 12) - 4.0 / std::pow(p.r, 6) - 0.01};
                 }));
  expect_formula(short_range(ShortRange::LJ_9_6), fill, within(CUT_SHORT, [](const Pair &p) {
                   const double a = by_type(48.0, p.type) / 9.0;
                   return Terms{9.0 * a / std::pow(p.r, 10) - 24.0 / std::pow(p.r, 7),
                                a / std::pow(p.r, 9) - 4.0 / std::pow(p.r, 6) - 0.01};
                 }));
  expect_formula(
      short_range(ShortRange::LJ_EXPAND),
      [](Coefficients &c, int type) { c.lj_expand(48.0, 24.0, by_type(-0.1, type), 0.01); },
      within(CUT, [](const Pair &p) {
        const double r = p.r - by_type(-0.1, p.type);
        return Terms{48.0 / std::pow(r, 13) - 24.0 / std::pow(r, 7),
                     4.0 / std::pow(r, 12) - 4.0 / std::pow(r, 6) - 0.01};
      }));
  expect_formula(
      short_range(ShortRange::MIE),
      [](Coefficients &c, int type) { c.mie(11.5 + type, 6.25, 3.0, 2.0, 0.01); },
      within(CUT, [](const Pair &p) {
        const double n = 11.5 + p.type, a = 3.0 / std::pow(p.r, n), b = 2.0 / std::pow(p.r, 6.25);
        return Terms{(a - b) / p.r, a / n - b / 6.25 - 0.01};
      }));
  expect_formula(
      short_range(ShortRange::MIE),
      [](Coefficients &c, int type) { c.nm(11.5 + type, 6.25, 0.3, 1.4, 1.2, 0.01); },
      within(CUT, [](const Pair &p) {
        const double n = 11.5 + p.type, m = 6.25, a = 1.4 / std::pow(p.r, n),
                     b = 1.2 / std::pow(p.r, m);
        return Terms{0.3 * n * m * (a - b) / p.r, 0.3 * (m * a - n * b) - 0.01};
      }));
}

TEST(PairTerms, LennardJonesIsSwitchedOff)
{
  const double inner = 1.2;
  expect_formula(
      short_range(ShortRange::LJ_GROMACS),
      [=](Coefficients &c, int type) {
        c.lj_gromacs(48.0, by_type(24.0, type), inner, 0.3, -0.2, 0.05);
      },
      within(CUT, [=](const Pair &p) {
        const double b = by_type(24.0, p.type), t = std::max(p.r - inner, 0.0);
        return Terms{48.0 / std::pow(p.r, 13) - b / std::pow(p.r, 7) + t * t * (0.3 - 0.2 * t),
                     4.0 / std::pow(p.r, 12) - b / 6.0 / std::pow(p.r, 6) + 0.05 +
                         t * t * t * (-0.1 + 0.05 * t)};
      }));

  const Switching s = make_switching(inner, CUT_SHORT);
  const Fill fill = [](Coefficients &c, int type) {
    c.cutoffs(CUT_SHORT * CUT_SHORT, 0.0);
    c.lj(by_type(48.0, type), 24.0, 0.0);
  };
  PairTerms charmm = short_range(ShortRange::LJ_CHARMM);
  charmm.lj_switch = s;
  expect_formula(charmm, fill, within(CUT_SHORT, [=](const Pair &p) {
                   const double a = by_type(4.0, p.type), rsq = p.r * p.r;
                   const Terms lj{12.0 * a / std::pow(p.r, 13) - 24.0 / std::pow(p.r, 7),
                                  a / std::pow(p.r, 12) - 4.0 / std::pow(p.r, 6)};
                   if (p.r <= inner) return lj;
                   return Terms{lj.force * switched(s, rsq) - lj.evdwl * slope_of_switched(s, rsq),
                                lj.evdwl * switched(s, rsq)};
                 }));

  PairTerms fsw = short_range(ShortRange::LJ_FORCE_SWITCH);
  fsw.lj_switch = s;
  fsw.force_switch = {0.1, 0.2, 1.3, 1.4, 0.15, 0.02};
  expect_formula(fsw, fill, within(CUT_SHORT, [=](const Pair &p) {
                   const double a = by_type(4.0, p.type), r3 = std::pow(p.r, -3), r6 = r3 * r3;
                   const double force = 12.0 * a * r6 * r6 / p.r - 24.0 * r6 / p.r;
                   if (p.r <= inner) return Terms{force, a * (r6 * r6 - 0.2) - 4.0 * (r6 - 0.1)};
                   return Terms{force * switched(s, p.r * p.r),
                                a * 1.4 * (r6 - 0.02) * (r6 - 0.02) -
                                    4.0 * 1.3 * (r3 - 0.15) * (r3 - 0.15)};
                 }));
}

TEST(PairTerms, LennardJonesIsContinuedByAPolynomial)
{
  const double inner = 1.2, sw3 = 0.4, sw4 = -0.3;
  expect_formula(
      short_range(ShortRange::LJ_SMOOTH),
      [=](Coefficients &c, int type) {
        c.lj_smooth(48.0, by_type(24.0, type), inner, sw3, sw4, 0.01);
      },
      within(CUT, [=](const Pair &p) {
        const double b = by_type(24.0, p.type);
        const auto lj = [&](double r) {
          return Terms{48.0 / std::pow(r, 13) - b / std::pow(r, 7),
                       4.0 / std::pow(r, 12) - b / 6.0 / std::pow(r, 6)};
        };
        if (p.r < inner) return Terms{lj(p.r).force, lj(p.r).evdwl - 0.01};
        const double t = p.r - inner, sw1 = lj(inner).force,
                     sw2 = -13.0 * 48.0 / std::pow(inner, 14) + 7.0 * b / std::pow(inner, 8);
        return Terms{sw1 + t * (sw2 + t * (sw3 + t * sw4)),
                     lj(inner).evdwl -
                         t * (sw1 + t * (sw2 / 2.0 + t * (sw3 / 3.0 + t * sw4 / 4.0))) - 0.01};
      }));
  expect_formula(
      short_range(ShortRange::LJ_SMOOTH_LINEAR),
      [](Coefficients &c, int type) {
        c.lj_smooth_linear(48.0, by_type(24.0, type), 0.2, -0.3, CUT);
      },
      [](const Pair &p) {    // special bonds do not change the energy
        if (p.r >= CUT) return Terms();
        const double b = by_type(24.0, p.type);
        return Terms{p.factor_lj * (48.0 / std::pow(p.r, 13) - b / std::pow(p.r, 7) - 0.2) / p.r,
                     4.0 / std::pow(p.r, 12) - b / 6.0 / std::pow(p.r, 6) + 0.3 +
                         (p.r - CUT) * 0.2};
      });
  expect_formula(
      short_range(ShortRange::LJ_CUBIC),
      [=](Coefficients &c, int type) {
        c.lj_cubic(48.0, by_type(24.0, type), inner, -1.7, 2.5, -0.6);
      },
      within(CUT, [=](const Pair &p) {
        const double b = by_type(24.0, p.type), t = p.r - inner;
        if (t <= 0.0)
          return Terms{48.0 / std::pow(p.r, 13) - b / std::pow(p.r, 7),
                       4.0 / std::pow(p.r, 12) - b / 6.0 / std::pow(p.r, 6)};
        return Terms{-1.7 + 2.5 * t * t, -0.6 + 1.7 * t - 2.5 / 3.0 * t * t * t};
      }));
}

/** The energy times the tapering function of Mei, Davenport and Fernando. */
Terms tapered(const Terms &bare, double r, double inner, double cut)
{
  if (r <= inner) return bare;
  const double d = (r - inner) / (cut - inner), left = 1.0 - d;
  const double factor = (1.0 + 3.0 * d + 6.0 * d * d) * left * left * left;
  const double slope = -30.0 * d * d * left * left / (cut - inner);
  return {bare.force * factor - bare.evdwl * slope, bare.evdwl * factor, 0.0};
}

TEST(PairTerms, EnergiesAreTapered)
{
  for (double inner : {1.2, CUT}) {
    expect_formula(
        short_range(ShortRange::LJ_TAPERED),
        [=](Coefficients &c, int type) { c.lj_tapered(48.0, by_type(24.0, type), inner, CUT); },
        within(CUT, [=](const Pair &p) {
          const double b = by_type(24.0, p.type);
          return tapered({48.0 / std::pow(p.r, 13) - b / std::pow(p.r, 7),
                          4.0 / std::pow(p.r, 12) - b / 6.0 / std::pow(p.r, 6)},
                         p.r, inner, CUT);
        }));
    expect_formula(
        short_range(ShortRange::BUCKINGHAM_TAPERED),
        [=](Coefficients &c, int type) {
          c.buckingham_tapered(by_type(3.0, type), by_type(3.0, type) * 500.0, 240.0, inner, CUT);
        },
        within(CUT, [=](const Pair &p) {
          const double k = by_type(3.0, p.type), e = 500.0 * std::exp(-k * p.r);
          return tapered({k * e - 240.0 / std::pow(p.r, 7), e - 40.0 / std::pow(p.r, 6)}, p.r,
                         inner, CUT);
        }));
  }
}

TEST(PairTerms, PowersDependOnThePair)
{
  const double powers[][2] = {{9.0, 6.0}, {12.0, 4.0}, {12.0, 5.0}};
  expect_formula(
      short_range(ShortRange::SPICA),
      [=](Coefficients &c, int type) {
        c.cutoffs(CUT_SHORT * CUT_SHORT, 0.0);
        c.spica(48.0, by_type(24.0, type), powers[type - 1][0], powers[type - 1][1], 0.01);
      },
      within(CUT_SHORT, [=](const Pair &p) {
        const double n = powers[p.type - 1][0], m = powers[p.type - 1][1];
        const double a = 48.0 / std::pow(p.r, n), b = by_type(24.0, p.type) / std::pow(p.r, m);
        return Terms{(a - b) / p.r, a / n - b / m - 0.01};
      }));
}

constexpr double SIGMA6 = 0.9, SUMMAND = 0.3, SUMMAND_OF_CHARGES = 0.2;

double lambda_of(int type)
{
  return 0.2 * type;
}

void fill_soft(Coefficients &c, int type)
{
  c.cutoffs(CUT_SHORT * CUT_SHORT, CUT_COULOMB * CUT_COULOMB);
  c.lj_soft(lambda_of(type), 1.3, SIGMA6, SUMMAND, SUMMAND_OF_CHARGES);
}

/** Short-range part, with the energy 0 at the cut-off or not. */
Terms soft_lj(const Pair &p, bool shifted)
{
  if (p.r >= CUT_SHORT) return {};
  const auto energy = [](double r) {
    const double sum = SUMMAND + std::pow(r, 6) / SIGMA6;
    return 4.0 * 1.3 * (1.0 / (sum * sum) - 1.0 / sum);
  };
  const double depth = p.factor_lj * lambda_of(p.type), r4 = std::pow(p.r, 4) / SIGMA6;
  const double sum = SUMMAND + p.r * p.r * r4;
  return {depth * 1.3 * (48.0 * r4 / std::pow(sum, 3) - 24.0 * r4 / std::pow(sum, 2)),
          depth * (energy(p.r) - (shifted ? energy(CUT_SHORT) : 0.0)), 0.0};
}

/** Charges, of which a part is missing in force and energy. */
Terms soft_charges(const Pair &p, double factor, double part_of_force, double part)
{
  if (p.r >= CUT_COULOMB) return {};
  const double distance = std::sqrt(SUMMAND_OF_CHARGES + p.r * p.r);
  const double bare = QQRD2E * factor * p.qq / distance, missing = 1.0 - p.factor_coul;
  return {bare * (part_of_force - missing) / (distance * distance), 0.0, bare * (part - missing)};
}

Terms sum_of(const Terms &a, const Terms &b)
{
  return {a.force + b.force, a.evdwl + b.evdwl, a.ecoul + b.ecoul};
}

TEST(PairTerms, SoftCoresHaveNoPole)
{
  for (bool shifted : {false, true}) {
    PairTerms terms = short_range(ShortRange::LJ_SOFT);
    terms.shifted = shifted;
    expect_formula(terms, fill_soft, [=](const Pair &p) { return soft_lj(p, shifted); });
    terms.coulomb = CoulombTerm::SOFT;
    expect_formula(terms, fill_soft, [=](const Pair &p) {
      return sum_of(soft_lj(p, shifted), soft_charges(p, lambda_of(p.type), 1.0, 1.0));
    });
  }
  PairTerms terms = charges(CoulombTerm::SOFT_LONG, CUT_COULOMB);
  terms.damped.alpha = 1.1;
  terms.damped.slope = 1.12837917 * 1.1;
  expect_formula(
      terms, [](Coefficients &c, int type) { c.charges_soft(lambda_of(type), SUMMAND_OF_CHARGES); },
      [](const Pair &p) {
        const EwaldFactors ewald = ewald_factors(1.1 * p.r);
        return soft_charges(p, lambda_of(p.type), ewald.force, ewald.energy);
      });
}

TEST(PairTerms, SoftCoresOfOtherPotentialsHaveNoPole)
{
  const double inner = 1.2;
  PairTerms charmm = short_range(ShortRange::LJ_SOFT_CHARMM);
  const Switching s = charmm.lj_switch = make_switching(inner, CUT_SHORT);
  expect_formula(charmm, fill_soft, [=](const Pair &p) {
    const Terms bare = soft_lj(p, false);
    if (p.r <= inner || p.r >= CUT_SHORT) return bare;
    const double rsq = p.r * p.r;
    return Terms{bare.force * switched(s, rsq) - bare.evdwl * slope_of_switched(s, rsq) / p.r,
                 bare.evdwl * switched(s, rsq), 0.0};
  });

  const auto energy = [](double r) {
    const double sum = SUMMAND + std::pow(r, 6) / SIGMA6;
    return 2.0 * std::pow(sum, -1.5) - 3.0 / sum;
  };
  const auto force = [](double r) {    // divided by distance
    const double r4 = std::pow(r, 4) / SIGMA6, sum = SUMMAND + r * r * r4;
    return 18.0 * r4 * (std::pow(sum, -2.5) - std::pow(sum, -2.0));
  };
  for (int shift : {0, 1, 2}) {    // no, by the depth of the pair, by one that is given
    PairTerms terms = short_range(ShortRange::LJ_SOFT_9_6);
    terms.shifted = shift > 0;
    if (shift == 2) terms.coul_cutsq = CUT_COULOMB * CUT_COULOMB;
    expect_formula(
        terms,
        [](Coefficients &c, int type) {
          fill_soft(c, type);
          c.depth_of_shift(1.7);
        },
        [=](const Pair &p) {
          if (p.r >= CUT_SHORT) return Terms();
          const double depth = 1.3 * lambda_of(p.type),
                       shifted = shift == 0 ? 0.0
              : shift == 1                  ? depth
                                            : 1.7;
          return Terms{p.factor_lj * depth * force(p.r),
                       p.factor_lj * (depth * energy(p.r) - shifted * energy(CUT_SHORT)), 0.0};
        });
  }

  expect_formula(
      short_range(ShortRange::MORSE_SOFT),
      [](Coefficients &c, int type) { c.morse_soft(4.0, by_type(1.0, type), 1.3, -0.2); },
      within(CUT, [](const Pair &p) {
        const double e = std::exp(-4.0 * (p.r - by_type(1.0, p.type)));
        return Terms{4.0 * (2.0 * 1.3 * (e * e - e) - 0.6 * e * e * e),
                     1.3 * (e * e - 2.0 * e) - 0.2 * e * e * e};
      }));
}

TEST(PairTerms, SoftAtomsMayBeAtOnePlace)
{
  PairTerms kind = short_range(ShortRange::LJ_SOFT);
  kind.coulomb = CoulombTerm::SOFT;
  const TermsOfTypes made(kind, fill_soft);
  const Star heap(0.0, 0.0);
  for_each_instruction_set([&] {
    double sum = 0.0, expected = 0.0;
    for (const Terms &one : heap.compute(made.terms, true, ListKind::HALF)) {
      EXPECT_EQ(one.force, 0.0);    // and not a number that is none
      sum += one.evdwl;
    }
    for (const Pair &p : heap.pairs) {
      const Terms both = sum_of(soft_lj(p, false), soft_charges(p, lambda_of(p.type), 1.0, 1.0));
      expected += both.evdwl + both.ecoul;
    }
    EXPECT_NEAR(sum, expected, 1e-11 * std::fabs(expected));
  });
}

TEST(PairTerms, ExponentialsAndTheirLike)
{
  expect_formula(
      short_range(ShortRange::BUCKINGHAM),
      [](Coefficients &c, int type) {
        c.buckingham(by_type(3.0, type), by_type(3.0, type) * 500.0, 6.0 * 40.0, 0.01);
      },
      within(CUT, [](const Pair &p) {
        const double k = by_type(3.0, p.type), e = 500.0 * std::exp(-k * p.r);
        return Terms{k * e - 240.0 / std::pow(p.r, 7), e - 40.0 / std::pow(p.r, 6) - 0.01};
      }));
  expect_formula(
      short_range(ShortRange::BORN),
      [](Coefficients &c, int type) {
        c.cutoffs(CUT_SHORT * CUT_SHORT, 0.0);
        c.born(4.0, by_type(0.5, type), 4.0 * 90.0, 6.0 * 5.0, 8.0 * 3.0, 0.02);
      },
      within(CUT_SHORT, [](const Pair &p) {
        const double e = 90.0 * std::exp(4.0 * (by_type(0.5, p.type) - p.r));
        return Terms{4.0 * e - 30.0 / std::pow(p.r, 7) + 24.0 / std::pow(p.r, 9),
                     e - 5.0 / std::pow(p.r, 6) + 3.0 / std::pow(p.r, 8) - 0.02};
      }));
  expect_formula(
      short_range(ShortRange::GAUSS),
      [](Coefficients &c, int type) { c.gauss(by_type(3.0, type), 0.7, -0.1); },
      within(CUT, [](const Pair &p) {
        const double e = by_type(3.0, p.type) * std::exp(-0.7 * p.r * p.r);
        return Terms{-1.4 * p.r * e, -(e + 0.1)};
      }));
  expect_formula(
      short_range(ShortRange::SOFT),
      [](Coefficients &c, int type) { c.soft(by_type(3.0, type), CUT); },
      within(CUT, [](const Pair &p) {
        const double wave = M_PI / CUT, a = by_type(3.0, p.type);
        return Terms{a * wave * std::sin(wave * p.r), a * (1.0 + std::cos(wave * p.r))};
      }));
  PairTerms yukawa = short_range(ShortRange::YUKAWA);
  yukawa.kappa = 0.8;
  expect_formula(
      yukawa, [](Coefficients &c, int type) { c.yukawa(by_type(3.0, type), 0.1); },
      within(CUT, [](const Pair &p) {
        const double e = by_type(3.0, p.type) * std::exp(-0.8 * p.r) / p.r;
        return Terms{e * (0.8 + 1.0 / p.r), e - 0.1};
      }));
}

TEST(PairTerms, MorseHasOtherEnds)
{
  const auto morse = [](const Pair &p) {
    const double e = std::exp(-4.0 * (p.r - by_type(1.0, p.type)));
    return Terms{2.0 * 1.3 * 4.0 * (e * e - e), 1.3 * (e * e - 2.0 * e)};
  };
  expect_formula(
      short_range(ShortRange::MORSE_SMOOTH_LINEAR),
      [](Coefficients &c, int type) {
        c.morse_smooth_linear(4.0, by_type(1.0, type), 1.3, 0.2, CUT, -0.3);
      },
      within(CUT, [=](const Pair &p) {
        const Terms t = morse(p);
        return Terms{t.force + 0.2, t.evdwl + 0.3 - (p.r - CUT) * 0.2};
      }));
  expect_formula(
      short_range(ShortRange::PEDONE),
      [](Coefficients &c, int type) { c.pedone(4.0, by_type(1.0, type), 1.3, 0.7, -0.3); },
      within(CUT, [=](const Pair &p) {
        const Terms t = morse(p);
        return Terms{t.force + 12.0 * 0.7 / std::pow(p.r, 13),
                     t.evdwl + 0.7 / std::pow(p.r, 12) + 0.3};
      }));
}

TEST(PairTerms, BellsSpringsAndWaves)
{
  expect_formula(
      short_range(ShortRange::GAUSS_CUT),
      [](Coefficients &c, int type) { c.gauss_cut(0.4, by_type(1.0, type), 3.0, 0.1); },
      within(CUT, [](const Pair &p) {
        const double x = (p.r - by_type(1.0, p.type)) / 0.4, e = 3.0 * std::exp(-0.5 * x * x);
        return Terms{x / 0.4 * e, e - 0.1};
      }));
  expect_formula(
      short_range(ShortRange::HARMONIC),
      [](Coefficients &c, int type) { c.harmonic(by_type(3.0, type), CUT); },
      within(CUT, [](const Pair &p) {
        const double k = by_type(3.0, p.type), gap = CUT - p.r;
        return Terms{2.0 * k * gap, k * gap * gap};
      }));
  expect_formula(
      short_range(ShortRange::UHLENBECK_FORD),
      [](Coefficients &c, int type) { c.uhlenbeck_ford(by_type(3.0, type), 1.4, 0.7, 0.01); },
      within(CUT, [](const Pair &p) {
        const double e = std::exp(-1.4 * p.r * p.r);
        return Terms{by_type(3.0, p.type) * p.r * e / (1.0 - e), -0.7 * std::log(1.0 - e) - 0.01};
      }));
  for (bool core : {false, true}) {
    const double a = core ? 0.9 : 0.0, b = core ? 1.6 : 0.0, sigma = 1.1;
    expect_formula(
        short_range(ShortRange::COSINE_SQUARED),
        [=](Coefficients &c, int type) {
          c.cosine_squared(by_type(3.0, type), sigma, CUT, a, b, -0.2);
        },
        within(CUT, [=](const Pair &p) {
          if (p.r <= sigma)
            return Terms{12.0 * a / std::pow(p.r, 13) - 6.0 * b / std::pow(p.r, 7),
                         a / std::pow(p.r, 12) - b / std::pow(p.r, 6) - 0.2};
          const double wave = M_PI / (2.0 * (CUT - sigma)), angle = wave * (p.r - sigma);
          const double depth = by_type(3.0, p.type), cosine = std::cos(angle);
          return Terms{-2.0 * depth * wave * std::sin(angle) * cosine, -depth * cosine * cosine};
        }));
  }
}

TEST(PairTerms, NuclearRepulsionHasNoSpecialBonds)
{
  PairTerms zbl = short_range(ShortRange::ZBL);
  zbl.inner = 1.3;
  expect_formula(
      zbl, [](Coefficients &c, int type) { c.zbl(by_type(0.6, type), 9.0, 0.4, -0.3, 0.2); },
      [](const Pair &p) {
        const double factor[] = {0.02817, 0.28022, 0.50986, 0.18175},
                     wave[] = {0.20162, 0.40290, 0.94229, 3.19980};
        const double t = std::max(p.r - 1.3, 0.0);
        double sum = 0.0, slope = 0.0;
        for (int k = 0; k < 4; k++) {
          const double w = by_type(0.6, p.type) * wave[k] / wave[0];
          sum += factor[k] * std::exp(-w * p.r);
          slope -= factor[k] * w * std::exp(-w * p.r);
        }
        const double dedr = 9.0 / p.r * (slope - sum / p.r) + t * t * (0.4 - 0.3 * t);
        return Terms{-dedr / p.r, 9.0 / p.r * sum + 0.2 + t * t * t * (0.4 / 3.0 - 0.3 / 4.0 * t),
                     0.0};
      });
}

// force times distance, and energy, of charges

Formula coulomb(bool subtracts, std::function<Terms(const Pair &, double bare)> term)
{
  return [=](const Pair &pair) {
    if (pair.r >= CUT_COULOMB) return Terms();
    const double bare = QQRD2E * by_type(0.9, pair.type) * pair.qq / pair.r;
    Terms t = term(pair, bare);
    const double factor = subtracts ? 1.0 : pair.factor_coul,
                 missing = subtracts ? (1.0 - pair.factor_coul) * bare : 0.0;
    return Terms{(factor * t.force - missing) / (pair.r * pair.r), 0.0, factor * t.ecoul - missing};
  };
}

const Fill SCALED = [](Coefficients &c, int type) {
  c.charges(by_type(0.9, type));
};

TEST(PairTerms, ChargesAreScreenedShiftedAndSwitched)
{
  PairTerms cut = charges(CoulombTerm::CUT, 0.0);
  expect_formula(
      cut,
      [](Coefficients &c, int type) {
        SCALED(c, type);
        c.cutoffs(0.0, CUT_COULOMB * CUT_COULOMB);
      },
      coulomb(false, [](const Pair &, double bare) {
        return Terms{bare, 0.0, bare};
      }));
  PairTerms debye = charges(CoulombTerm::DEBYE, CUT_COULOMB);
  debye.kappa = 0.8;
  expect_formula(debye, SCALED, coulomb(false, [](const Pair &p, double bare) {
                   const double e = bare * std::exp(-0.8 * p.r);
                   return Terms{e * (1.0 + 0.8 * p.r), 0.0, e};
                 }));
  expect_formula(charges(CoulombTerm::SHIFTED_FORCE, CUT_COULOMB), SCALED,
                 coulomb(false, [](const Pair &p, double bare) {
                   const double x = p.r / CUT_COULOMB;
                   return Terms{bare * (1.0 - x * x), 0.0, bare * (1.0 + x * x - 2.0 * x)};
                 }));
  PairTerms implicit = charges(CoulombTerm::CHARMM_IMPLICIT, CUT_COULOMB);
  const Switching s = implicit.coul_switch = make_switching(1.1, CUT_COULOMB);
  expect_formula(implicit, SCALED, coulomb(false, [=](const Pair &p, double bare) {
                   const double e = bare / p.r, rsq = p.r * p.r;
                   if (p.r <= 1.1) return Terms{2.0 * e, 0.0, e};
                   return Terms{2.0 * e * switched(s, rsq) - p.r * e * slope_of_switched(s, rsq),
                                0.0, e * switched(s, rsq)};
                 }));
}

TEST(PairTerms, ForcesOfChargesEndAsInGromacs)
{
  PairTerms terms = charges(CoulombTerm::GROMACS, CUT_COULOMB);
  terms.gromacs = {1.1, -0.6, 0.4, 0.3};
  expect_formula(terms, SCALED, coulomb(false, [](const Pair &p, double bare) {
                   const double t = std::max(p.r - 1.1, 0.0), qq = bare * p.r;
                   return Terms{bare + qq * p.r * t * t * (-0.6 + 0.4 * t), 0.0,
                                bare - qq * (t * t * t * (-0.2 + 0.1 * t) + 0.3)};
                 }));
}

/** Charges of cores and shells: the bonded ones are apart by 1e-6 at least. */
Terms core_shell(const Pair &p, double g)
{
  const double missing = 1.0 - p.factor_coul;
  const double r = std::sqrt(p.r * p.r + 1e-20) + (missing > 0.0 ? 1e-6 : 0.0);
  const double bare = QQRD2E * p.qq / r, x = g * r, expm2 = std::exp(-x * x);
  const double t = 1.0 / (1.0 + 0.995473818 * x), u = 1.0 - t;
  const double series = 1.0 +
      u *
          (-0.1335096380159268 +
           u *
               (-0.257839507 +
                u *
                    (-0.137203639 +
                     u * (-0.00888822059 + u * (-0.00580844129 + u * 0.114652755)))));
  const double left = t * series * expm2 - missing;
  return {bare * (left + 1.12837917 * x * expm2), 0.0, bare * left};
}

double core_shell_rsq(const Pair &p)
{
  return p.r * p.r + 1e-20 + (p.factor_coul < 1.0 ? 1e-12 : 0.0);
}

/** Charges of cores and shells.

    \param table   gets the long-range part; it must live as long as the terms */
PairTerms cores_and_shells(LongRange &table)
{
  table = computed_charges();
  table.core_shell = true;
  PairTerms terms = charges(CoulombTerm::LONG, CUT_COULOMB);
  terms.long_range = &table;
  terms.added_rsq = CoreShell::ADDED_RSQ;
  return terms;
}

TEST(PairTerms, CoresAndShellsHaveAnErrorFunctionOfTheirOwn)
{
  LongRange table;
  PairTerms terms = cores_and_shells(table);
  for (ShortRange kind : {ShortRange::LJ_9_6, ShortRange::LJ_12_6}) {
    terms.short_range = kind;
    const double n = kind == ShortRange::LJ_9_6 ? 9.0 : 12.0;
    expect_formula(
        terms,
        [=](Coefficients &c, int) {
          c.cutoffs(CUT_SHORT * CUT_SHORT, 0.0);
          c.lj(4.0 * n, 24.0, 0.01);
        },
        [=](const Pair &p) {
          Terms t;
          const double rsq = p.r < CUT_COULOMB ? core_shell_rsq(p) : p.r * p.r, r = std::sqrt(rsq);
          if (p.r < CUT_SHORT) {
            const double a = 4.0 / std::pow(r, n), b = 4.0 / std::pow(r, 6);
            t.force = p.factor_lj * (n * a - 6.0 * b) / rsq;
            t.evdwl = p.factor_lj * (a - b - 0.01);
          }
          if (p.r >= CUT_COULOMB) return t;
          const Terms charged = core_shell(p, 1.1);
          t.force += charged.force / rsq;
          t.ecoul = charged.ecoul;
          return t;
        });
  }
}

TEST(PairTerms, CoresAndShellsMayBeAtOnePlace)
{
  LongRange table;
  const TermsOfTypes made(cores_and_shells(table), [](Coefficients &, int) {});
  const Star heap(0.0, 0.0);
  for_each_instruction_set([&] {
    const std::vector<Terms> found = heap.compute(made.terms, true, ListKind::HALF);
    for (int k = 0; k < 200; k++) {    // bonded
      const Terms expected = core_shell(heap.pairs[k], 1.1);
      EXPECT_EQ(found[k].force, 0.0);    // and not a number that is none
      EXPECT_NEAR(found[k].evdwl, expected.ecoul, 1e-9 * (1.0 + std::fabs(expected.ecoul)));
    }
  });
}

TEST(PairTerms, ChargesAreDamped)
{
  for (bool exact : {false, true}) {
    PairTerms terms = charges(CoulombTerm::DAMPED, CUT_COULOMB);
    terms.damped = {1.1, 0.7, -0.2, 0.3, -0.05, exact};
    expect_formula(terms, SCALED, coulomb(true, [=](const Pair &p, double bare) {
                     const double x = 1.1 * p.r, expm2 = std::exp(-x * x);
                     const double erfc = exact ? std::erfc(x) : ewald_factors(x).energy;
                     return Terms{bare * (erfc + 0.7 * p.r * expm2 - 0.2 * p.r * p.r), 0.0,
                                  bare * (erfc - 0.3 * p.r + 0.05 * p.r * p.r)};
                   }));
  }
}

TEST(PairTerms, TheErrorFunctionIsThatOfTheLibrary)
{
  const Star wide(1e-3, 20.0);
  PairTerms kind = charges(CoulombTerm::DAMPED, 21.0);
  kind.damped = {1.0, 0.0, 0.0, 0.0, 0.0, true};
  const TermsOfTypes made(
      kind, [](Coefficients &, int) {}, 21.0);
  for_each_instruction_set([&] {
    const std::vector<Terms> found = wide.compute(made.terms, true, ListKind::HALF);
    for (int k = 200; k < NEIGHBORS; k++) {    // behind those with special bonds
      const Pair &pair = wide.pairs[k];
      const double expected = std::erfc(pair.r);

      // an ulp of the distance is 2 x^2 ulp of erfc(x)

      const double allowed = 1e-14 + 5e-16 * pair.r * pair.r;
      EXPECT_NEAR(found[k].evdwl * pair.r / (QQRD2E * pair.qq) / expected, 1.0, allowed)
          << "at " << pair.r;
    }
  });
}

Terms ewald_charges(const Pair &p, double qq)
{
  const EwaldFactors ewald = ewald_factors(1.1 * p.r);
  const double bare = QQRD2E * qq / p.r, missing = 1.0 - p.factor_coul;
  return {bare * (ewald.force - missing) / (p.r * p.r), 0.0, bare * (ewald.energy - missing)};
}

TEST(PairTerms, EwaldSumsAreAddedToAnyShortRangeTerm)
{
  const LongRange table = computed_charges();
  PairTerms terms = charges(CoulombTerm::LONG, CUT_COULOMB);
  terms.short_range = ShortRange::BUCKINGHAM;
  terms.long_range = &table;
  expect_formula(
      terms,
      [](Coefficients &c, int) {
        c.cutoffs(CUT_SHORT * CUT_SHORT, 0.0);
        c.buckingham(3.0, 1500.0, 240.0, 0.01);
      },
      [](const Pair &p) {
        Terms t;
        if (p.r < CUT_SHORT) {
          const double e = 500.0 * std::exp(-3.0 * p.r);
          t.force = p.factor_lj * (3.0 * e - 240.0 / std::pow(p.r, 7)) / p.r;
          t.evdwl = p.factor_lj * (e - 40.0 / std::pow(p.r, 6) - 0.01);
        }
        if (p.r >= CUT_COULOMB) return t;
        return sum_of(t, ewald_charges(p, p.qq));
      });
}

// what the tables hold is exact in single precision, so that the test can look it up, too

struct SquaresOfDistances {
  static constexpr int N = 64, SHIFT = 19;
  static constexpr double FIRST = 0.75 * 0.75, CUTSQ = 1.7 * 1.7;
  double forces[N][2], others[N][4];

  SquaresOfDistances()
  {
    for (int k = 0; k < N; k++) {
      for (int c = 0; c < 2; c++) forces[k][c] = 0.5 + 0.01 * (k % 17) + 0.3 * c;
      for (int c = 0; c < 4; c++) others[k][c] = 0.7 - 0.02 * (k % 13) + 0.2 * c;
    }
  }

  LongRange table() const
  {
    LongRange all;
    all.g_ewald = 1.1;
    all.cutsq = CUTSQ;
    all.innersq = FIRST;
    all.forces.doubles = forces[0];
    all.others.doubles = others[0];
    all.nentries = N;
    all.mask = (N - 1) << SHIFT;
    all.shift = SHIFT;
    return all;
  }

  /** Entry, and what is left of the square of the distance. */
  static int entry(double rsq, double &beyond, bool in_full)
  {
    const float single = static_cast<float>(rsq);
    std::uint32_t bits;
    std::memcpy(&bits, &single, sizeof bits);
    const int k = static_cast<int>(bits >> SHIFT) & (N - 1);
    bits &= ~((1u << SHIFT) - 1);
    float begin;
    std::memcpy(&begin, &bits, sizeof begin);
    beyond = in_full ? rsq - begin : single - begin;
    return k;
  }
};

/** Dispersion of an Ewald sum: force divided by distance, and energy, of a coefficient of 1. */
Terms ewald_dispersion(double g, double r)
{
  const double x2 = g * g * r * r, g6 = std::pow(g, 6), e = std::exp(-x2);
  const double a = 1.0 / x2;
  return {g6 * e * a / (r * r) * (x2 + 3.0 + 6.0 * a + 6.0 * a * a), g6 * e * a * (a * a + a + 0.5),
          0.0};
}

TEST(PairTerms, DispersionIsPartOfAnEwaldSum)
{
  const SquaresOfDistances made;
  LongRange computed = made.table();
  computed.innersq = 1e300;
  const LongRange looked_up = made.table();
  for (const LongRange *table : {static_cast<const LongRange *>(&computed), &looked_up})
    for (ShortRange kind : {ShortRange::LJ_12_6, ShortRange::BUCKINGHAM}) {
      PairTerms terms = short_range(kind);
      terms.dispersion = table;
      expect_formula(
          terms,
          [=](Coefficients &c, int type) {
            c.cutoffs(CUT_SHORT * CUT_SHORT, 0.0);
            if (kind == ShortRange::LJ_12_6)
              c.lj(48.0, 6.0 * by_type(4.0, type), 0.0);
            else
              c.buckingham(3.0, 1500.0, 6.0 * by_type(4.0, type), 0.0);
          },
          [&](const Pair &p) {
            if (p.r >= CUT_SHORT) return Terms();
            const bool lj = kind == ShortRange::LJ_12_6;
            const double e = 500.0 * std::exp(-3.0 * p.r), rsq = p.r * p.r;
            const Terms repulsion{lj ? 48.0 / std::pow(p.r, 14) : 3.0 * e / p.r,
                                  lj ? 4.0 / std::pow(p.r, 12) : e, 0.0};
            Terms part = ewald_dispersion(1.1, p.r);
            if (rsq > table->innersq && rsq <= table->cutsq) {    // beyond it the table has ended
              double beyond;
              const int k = made.entry(rsq, beyond, true);
              part.force = (made.forces[k][0] + beyond * made.forces[k][1]) / rsq;
              part.evdwl = made.others[k][2] + beyond * made.others[k][3];
            }
            const double c = by_type(4.0, p.type), missing = 1.0 - p.factor_lj;
            return Terms{p.factor_lj * repulsion.force - c * part.force +
                             missing * 6.0 * c / std::pow(p.r, 8),
                         p.factor_lj * repulsion.evdwl - c * part.evdwl +
                             missing * c / std::pow(p.r, 6),
                         0.0};
          });
    }
}

TEST(PairTerms, TablesOfChargesTakeTheDistanceInEitherPrecision)
{
  const SquaresOfDistances made;
  for (bool in_full : {false, true}) {
    LongRange table = made.table();
    table.double_rsq = in_full;
    PairTerms terms = charges(CoulombTerm::LONG, CUT_COULOMB);
    terms.long_range = &table;
    expect_formula(terms, SCALED, [&](const Pair &p) {
      if (p.r >= CUT_COULOMB) return Terms();
      const double qq = by_type(0.9, p.type) * p.qq, missing = 1.0 - p.factor_coul;
      if (p.r * p.r <= table.innersq) return ewald_charges(p, qq);
      double beyond;
      const int k = made.entry(p.r * p.r, beyond, in_full);
      const double *const f = made.forces[k], *const o = made.others[k];
      double bare = missing * (o[0] + beyond * o[1]);
      if (in_full) bare = static_cast<float>(bare);
      return Terms{qq * (f[0] + beyond * f[1] - bare) / (p.r * p.r), 0.0,
                   qq * (o[2] + beyond * o[3] - bare)};
    });
  }
}

TEST(PairTerms, MultilevelSumsSplitChargesByAPolynomial)
{
  LongRange table = computed_charges();
  table.splitting.n = 2;    // of order 4
  const double gamma[] = {15.0 / 8.0, -5.0 / 4.0, 3.0 / 8.0}, dgamma[] = {-5.0 / 2.0, 3.0 / 2.0};
  std::copy_n(gamma, 3, table.splitting.gamma);
  std::copy_n(dgamma, 2, table.splitting.dgamma);
  PairTerms terms = charges(CoulombTerm::LONG, CUT_COULOMB);
  terms.long_range = &table;
  const Formula part = [&](const Pair &p) {
    if (p.r >= CUT_COULOMB) return Terms();
    const double x = p.r / CUT_COULOMB, missing = 1.0 - p.factor_coul;
    const double smooth = x * (gamma[0] + x * x * (gamma[1] + x * x * gamma[2])),
                 slope = x * (dgamma[0] + x * x * dgamma[1]);
    const double bare = QQRD2E * by_type(0.9, p.type) * p.qq / p.r;
    return Terms{bare * (1.0 + x * x * slope - missing) / (p.r * p.r), 0.0,
                 bare * (1.0 - smooth - missing)};
  };
  expect_formula(terms, SCALED, part);

  // charges alone of a sum that has another term

  terms.short_range = ShortRange::SOFT;
  terms.only_charges = true;
  expect_formula(
      terms, [](Coefficients &c, int) { c.soft(3.0, CUT); },
      [&](const Pair &p) {
        const Terms t = part(p);
        const double scale = by_type(0.9, p.type);
        return Terms{t.force / scale, 0.0, t.ecoul / scale};
      });
}

// tables with any values: the test is which rows the kernel takes, and how

struct MadeTables {
  using Kind = DistanceTables::Kind;
  static constexpr int N = 64;
  const double innersq = 0.3, delta = (CUT * CUT - innersq) / (N - 1);
  std::vector<double> rows, coefficients;
  std::atomic<bool> is_outside{false};
  DistanceTables tables;

  MadeTables(Kind kind, double innersq_in = 0.3) : innersq(innersq_in)
  {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int k = 0; k < 4 * 2 * N; k++) rows.push_back(uniform(random));
    coefficients.assign((NTYPES + 1) * (NTYPES + 1) * 4, 0.0);
    for (int type = 1; type <= NTYPES; type++) {
      double *const c = &coefficients[4 * (NTYPES + 1 + type)];
      c[0] = CUT * CUT;
      c[1] = begin(type);
      c[2] = innersq;
      c[3] = kind == Kind::BITMAP ? shift(type) : 1.0 / delta;
    }
    tables = {kind,  NTYPES,     {coefficients.data(), nullptr}, CUT * CUT, rows.data(), N - 2.0,
              N - 1, &is_outside};
  }

  static int begin(int type) { return type == 2 ? N : 0; }
  static int shift(int type) { return 23 - 4 + (type == 2 ? 1 : 0); }

  std::vector<Terms> compute(bool energies)
  {
    return star().compute(energies, ListKind::HALF, [&](const PairJob &job, PairTally &tally) {
      distance_tables(tables, job, 0, 1, tally);
    });
  }

  void expect(const std::function<double(const Pair &, double rsq, int first)> &value)
  {
    for_each_instruction_set([&] {
      for (bool energies : {false, true}) {
        const std::vector<Terms> found = compute(energies);
        for (int k = 0; k < NEIGHBORS; k++) {
          const Pair &p = star().pairs[k];
          if (p.r >= CUT) continue;
          EXPECT_NEAR(found[k].force, p.factor_lj * value(p, p.r * p.r, 0), 1e-12 * N) << p.r;
          if (energies) {
            EXPECT_NEAR(found[k].evdwl, p.factor_lj * value(p, p.r * p.r, 2), 1e-12 * N) << p.r;
          }
        }
      }
    });
    EXPECT_FALSE(is_outside);
  }
};

TEST(DistanceTables, LinesBeginWhereTheTableDoes)
{
  MadeTables made(DistanceTables::Kind::LINEAR);
  made.expect([&](const Pair &p, double rsq, int first) {
    const double x = (rsq - made.innersq) / made.delta;
    const double *const row = &made.rows[4 * (made.begin(p.type) + static_cast<int>(x)) + first];
    return row[0] + x * row[1];
  });
}

TEST(DistanceTables, SplinesAreBetweenTwoRows)
{
  MadeTables made(DistanceTables::Kind::SPLINE);
  made.expect([&](const Pair &p, double rsq, int first) {
    const double x = (rsq - made.innersq) / made.delta;
    const int k = static_cast<int>(x);
    const double *const row = &made.rows[4 * (made.begin(p.type) + k) + first];
    const double b = x - k, a = 1.0 - b;
    return a * row[0] + b * row[4] + (a * a * a - a) * row[1] + (b * b * b - b) * row[5];
  });
}

TEST(DistanceTables, RowsAreFoundByTheBitsOfTheDistance)
{
  MadeTables made(DistanceTables::Kind::BITMAP);
  made.expect([&](const Pair &p, double rsq, int first) {
    const float single = static_cast<float>(rsq);
    std::int32_t bits;
    std::memcpy(&bits, &single, sizeof bits);
    const int k = made.begin(p.type) + (bits >> made.shift(p.type) & (made.N - 1));
    const double *const row = &made.rows[4 * k + first];
    volatile double x = single;
    return row[0] + x * row[1];
  });
}

TEST(DistanceTables, PairsThatAreTooCloseAreReported)
{
  for (auto kind :
       {DistanceTables::Kind::LINEAR, DistanceTables::Kind::SPLINE, DistanceTables::Kind::BITMAP}) {
    MadeTables made(kind, 0.7);
    made.compute(false);
    EXPECT_TRUE(made.is_outside);
  }
}

}    // namespace
