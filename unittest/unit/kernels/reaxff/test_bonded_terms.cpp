// SPDX-License-Identifier: GPL-2.0-only
//
// ReaxFF's terms of bonds against its formulas in long double, and forces against differences of
// the energy.

#include "bonded_system.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace TOFU_NS;
using TOFU_TEST::BondedSystem;

namespace {

using Real = long double;

Real squared(Real x)
{
  return x * x;
}

/** The formulas over all pairs, triples and quadruples of atoms. */
class Formulas {
 public:
  explicit Formulas(const BondedSystem &s) :
      s_(s), t_(s.tables), l_(s.tables.general), n_(s.natoms())
  {
    const std::size_t nn = static_cast<std::size_t>(n_) * n_;
    bo_.assign(nn, 0.0L);
    pi_.assign(nn, 0.0L);
    pipi_.assign(nn, 0.0L);
    bonded_.assign(nn, false);
    std::vector<Real> raw(nn, 0.0L), raw_sum(n_, 0.0L);
    for (int i = 0; i < n_; i++)
      for (int j = 0; j < n_; j++) {
        if (i == j) continue;
        const auto &p = pair(i, j);
        const Real d = r(i, j);
        const Real sigma =
            (1.0L + t_.bo_cut) * std::exp(p.p_bo1 * std::pow(d / p.r_s, Real(p.p_bo2)));
        const Real pi = p.has_pi ? std::exp(p.p_bo3 * std::pow(d / p.r_p, Real(p.p_bo4))) : 0.0L;
        const Real pipi = p.has_pipi ? std::exp(p.p_bo5 * std::pow(d / p.r_pp, Real(p.p_bo6)))
                                     : 0.0L;
        if (sigma + pi + pipi < t_.bo_cut) continue;
        bonded_[at(i, j)] = true;
        raw[at(i, j)] = sigma + pi + pipi - t_.bo_cut;
        pi_[at(i, j)] = pi;
        pipi_[at(i, j)] = pipi;
        raw_sum[i] += raw[at(i, j)];
      }
    for (int i = 0; i < n_; i++)
      for (int j = 0; j < n_; j++) {
        if (!bonded_[at(i, j)]) continue;
        const auto &p = pair(i, j);
        Real f1 = 1.0L, f45 = 1.0L;
        if (p.is_overcoordinated) {
          const Real di = raw_sum[i] - element(i).valency, dj = raw_sum[j] - element(j).valency;
          const Real f2 = std::exp(-l_[0] * di) + std::exp(-l_[0] * dj);
          const Real f3 = -std::log(0.5L * (std::exp(-l_[1] * di) + std::exp(-l_[1] * dj))) / l_[1];
          f1 = 0.0L;
          for (const int k : {i, j})
            f1 += 0.5L * (element(k).valency + f2) / (element(k).valency + f2 + f3);
        }
        if (p.has_13)
          for (const int k : {i, j})
            f45 /= 1.0L +
                std::exp(-Real(p.p_boc3) *
                             (p.p_boc4 * squared(raw[at(i, j)]) -
                              (raw_sum[k] - element(k).valency_val)) +
                         p.p_boc5);
        bo_[at(i, j)] = raw[at(i, j)] * f1 * f45;
        pi_[at(i, j)] *= f1 * f1 * f45;
        pipi_[at(i, j)] *= f1 * f1 * f45;
        for (auto *order : {&bo_, &pi_, &pipi_})
          if ((*order)[at(i, j)] < 1e-10L) (*order)[at(i, j)] = 0.0L;
      }
    sum_.assign(n_, 0.0L);
    for (int i = 0; i < n_; i++)
      for (int j = 0; j < n_; j++) sum_[i] += bo_[at(i, j)];
  }

  std::vector<Real> energies() const
  {
    std::vector<Real> e(ReaxTally::NTERMS, 0.0L);
    for (int i = 0; i < n_; i++) {
      for (int j = i + 1; j < n_; j++) e[ReaxTally::BOND] += bond(i, j);
      e[ReaxTally::LONE_PAIR] += lone_pairs(i);
      e[ReaxTally::OVER_UNDER] += coordination(i);
      for (int j = 0; j < n_; j++) {
        for (int k = j + 1; k < n_; k++) angle(j, i, k, e);
        for (int k = 0; k < n_; k++) {
          if (j != k) e[ReaxTally::HYDROGEN] += hydrogen(j, i, k);
          for (int l = 0; l < n_; l++)
            if (j < k && i != j && i != k && l != i && l != j && l != k) torsion(i, j, k, l, e);
        }
      }
    }
    return e;
  }

 private:
  const BondedSystem &s_;
  const ReaxTables &t_;
  const double *const l_;
  const int n_;
  std::vector<Real> bo_, pi_, pipi_, sum_;
  std::vector<bool> bonded_;

  std::size_t at(int i, int j) const { return static_cast<std::size_t>(i) * n_ + j; }
  const ReaxTables::Element &element(int i) const { return t_.elements[s_.element[i]]; }
  const ReaxTables::Pair &pair(int i, int j) const { return t_.pair(s_.element[i], s_.element[j]); }
  Real d(int i, int j, int dim) const { return Real(s_.x[3 * j + dim]) - Real(s_.x[3 * i + dim]); }
  Real dot(int i, int j, int k, int l) const
  {
    return d(i, j, 0) * d(k, l, 0) + d(i, j, 1) * d(k, l, 1) + d(i, j, 2) * d(k, l, 2);
  }
  Real r(int i, int j) const { return std::sqrt(dot(i, j, i, j)); }
  Real cosine(int i, int j, int k) const { return dot(j, i, j, k) / (r(j, i) * r(j, k)); }
  Real delta(int i) const { return sum_[i] - element(i).valency; }
  Real above(int i, int j) const { return bo_[at(i, j)] - t_.thb_cut; }

  Real vlpex(int i) const
  {
    const Real de = sum_[i] - element(i).valency_e;
    return de - 2.0L * std::trunc(de / 2.0L);
  }
  Real nlp(int i) const
  {
    return std::exp(-l_[15] * squared(2.0L + vlpex(i))) -
        std::trunc((sum_[i] - element(i).valency_e) / 2.0L);
  }
  Real delta_lp(int i) const { return element(i).nlp_opt - nlp(i); }

  Real bond(int i, int j) const
  {
    if (!bonded_[at(i, j)]) return 0.0L;
    const auto &p = pair(i, j);
    const Real bo = bo_[at(i, j)], pi = pi_[at(i, j)], pipi = pipi_[at(i, j)];
    Real sigma = bo - pi - pipi;
    if (sigma < 1e-10L) sigma = 0.0L;
    const Real power = sigma == 0.0L ? 0.0L : std::pow(sigma, Real(p.p_be2));
    Real energy =
        -p.De_s * sigma * std::exp(p.p_be1 * (1.0L - power)) - p.De_p * pi - p.De_pp * pipi;
    if (bo >= 1.0L && p.has_triple)
      energy += l_[10] * std::exp(-l_[7] * squared(bo - 2.5L)) *
          (std::exp(-l_[3] * (sum_[i] - bo)) + std::exp(-l_[3] * (sum_[j] - bo))) /
          (1.0L + 25.0L * std::exp(l_[4] * (delta(i) + delta(j))));
    return energy;
  }

  Real lone_pairs(int i) const
  {
    Real energy = element(i).p_lp2 * delta_lp(i) / (1.0L + std::exp(-75.0L * delta_lp(i)));
    if (element(i).is_carbon)
      for (int j = 0; j < n_; j++) {
        if (!bonded_[at(i, j)] || !element(j).is_carbon) continue;
        const Real v = bo_[at(i, j)] - delta(i) - 0.04L * squared(squared(delta(i)));
        if (v > 3.0L) energy += l_[5] * squared(v - 3.0L);
      }
    return energy;
  }

  Real coordination(int i) const
  {
    Real s1 = 0.0L, s2 = 0.0L;
    for (int j = 0; j < n_; j++) {
      if (!bonded_[at(i, j)]) continue;
      s1 += pair(i, j).p_ovun1 * pair(i, j).De_s * bo_[at(i, j)];
      s2 += (delta(j) - delta_lp(j)) * (pi_[at(i, j)] + pipi_[at(i, j)]);
    }
    const Real x = delta(i) - delta_lp(i) / (1.0L + l_[32] * std::exp(l_[31] * s2));
    const Real p2 = element(i).p_ovun2;
    return s1 * x / ((x + element(i).valency + 1e-8L) * (1.0L + std::exp(p2 * x))) -
        element(i).p_ovun5 * (1.0L - std::exp(l_[6] * x)) /
        ((1.0L + std::exp(-p2 * x)) * (1.0L + l_[8] * std::exp(l_[9] * s2)));
  }

  void angle(int i, int j, int k, std::vector<Real> &e) const
  {
    if (i == j || k == j) return;
    const Real bi = bo_[at(i, j)], bk = bo_[at(j, k)];
    if (bi <= t_.thb_cut || bk <= t_.thb_cut || bi * bk <= t_.thb_cutsq) return;
    const Real ai = above(i, j), ak = above(j, k), theta = std::acos(cosine(i, j, k));
    const Real boc = sum_[j] - element(j).valency_boc, val = sum_[j] - element(j).valency_val;
    Real sbo = 0.0L, powers = 0.0L;
    for (int m = 0; m < n_; m++) {
      sbo += pi_[at(j, m)] + pipi_[at(j, m)];
      powers += std::pow(bo_[at(j, m)], 8.0L);
    }
    const Real lone = vlpex(j) >= 0.0L ? 0.0L : nlp(j);
    sbo += (1.0L - std::exp(-powers)) * (-boc - l_[33] * lone);
    const Real sbo2 = sbo <= 0.0L ? 0.0L
        : sbo <= 1.0L             ? std::pow(sbo, Real(l_[16]))
        : sbo < 2.0L              ? 2.0L - std::pow(2.0L - sbo, Real(l_[16]))
                                  : 2.0L;
    const ReaxTables::Angle &sets = t_.angle(s_.element[i], s_.element[j], s_.element[k]);
    for (int n = 0; n < sets.n; n++) {
      const ReaxTables::AngleSet &set = sets.sets[n];
      const Real theta0 = (180.0L - set.theta_00 * (1.0L - std::exp(-l_[17] * (2.0L - sbo2)))) *
          Real(3.14159265) / 180.0L;
      Real f7 = 1.0L;
      for (const Real a : {ai, ak})
        f7 *= 1.0L - std::exp(-element(j).p_val3 * std::pow(a, Real(set.p_val4)));
      const Real rise = std::exp(l_[14] * boc), fall = std::exp(-set.p_val7 * boc);
      const Real f8 =
          element(j).p_val5 - (element(j).p_val5 - 1.0L) * (2.0L + rise) / (1.0L + rise + fall);
      const Real well = std::exp(-set.p_val2 * squared(theta0 - theta));
      e[ReaxTally::ANGLE] += f7 * f8 * set.p_val1 * ((set.p_val1 >= 0.0 ? 1.0L : 0.0L) - well);
      const Real f9 = (2.0L + std::exp(-l_[20] * delta(j))) /
          (1.0L + std::exp(-l_[20] * delta(j)) + std::exp(l_[21] * delta(j)));
      e[ReaxTally::PENALTY] += set.p_pen1 * f9 * std::exp(-l_[19] * squared(ai - 2.0L)) *
          std::exp(-l_[19] * squared(ak - 2.0L));
      e[ReaxTally::COALITION] += set.p_coa1 / (1.0L + std::exp(l_[2] * val)) *
          std::exp(-l_[38] * (squared(sum_[i] - ai) + squared(sum_[k] - ak)) -
                   l_[30] * (squared(ai - 1.5L) + squared(ak - 1.5L)));
    }
  }

  Real hydrogen(int x, int h, int z) const
  {
    if (x == h || element(h).p_hbond != 1 || element(x).p_hbond != 2 || element(z).p_hbond != 2 ||
        !bonded_[at(h, x)] || bo_[at(h, x)] < 0.01L)
      return 0.0L;
    const auto &set = t_.hydrogen_bond(s_.element[x], s_.element[h], s_.element[z]);
    const Real d = r(h, z), r0 = set.r0;
    if (d > t_.hbond_cut) return 0.0L;
    return set.p_hb1 * (1.0L - std::exp(-set.p_hb2 * bo_[at(h, x)])) *
        std::exp(-set.p_hb3 * (r0 / d + d / r0 - 2.0L)) * squared((1.0L - cosine(x, h, z)) / 2.0L);
  }

  void torsion(int i, int j, int k, int l, std::vector<Real> &e) const
  {
    const Real bij = bo_[at(i, j)], bjk = bo_[at(j, k)], bkl = bo_[at(k, l)];
    if (bij <= t_.thb_cut || bjk <= t_.thb_cut || bkl <= t_.thb_cut ||
        bij * bjk * bkl <= t_.thb_cut)
      return;
    const ReaxTables::Torsion &set =
        t_.torsion(s_.element[i], s_.element[j], s_.element[k], s_.element[l]);
    if (!set.any) return;
    const Real sines =
        std::sqrt(1.0L - squared(cosine(i, j, k))) * std::sqrt(1.0L - squared(cosine(j, k, l)));
    const Real c = (dot(j, k, j, k) * dot(j, i, k, l) - dot(j, i, j, k) * dot(j, k, k, l)) /
        (dot(j, k, j, k) * r(j, i) * r(k, l) * sines);
    const Real w = std::acos(c);
    const Real s = sum_[j] - element(j).valency_boc + sum_[k] - element(k).valency_boc;
    const Real f11 =
        (2.0L + std::exp(-l_[24] * s)) / (1.0L + std::exp(-l_[24] * s) + std::exp(l_[25] * s));
    Real f10 = 1.0L, peaks = set.p_cot1;
    for (const Real a : {above(i, j), above(j, k), above(k, l)}) {
      f10 *= 1.0L - std::exp(-l_[23] * a);
      peaks *= std::exp(-l_[27] * squared(a - 1.5L));
    }
    e[ReaxTally::TORSION] += f10 * sines * 0.5L *
        (set.V1 * (1.0L + std::cos(w)) +
         set.V2 * std::exp(set.p_tor1 * squared(2.0L - pi_[at(j, k)] - f11)) *
             (1.0L - std::cos(2.0L * w)) +
         set.V3 * (1.0L + std::cos(3.0L * w)));
    e[ReaxTally::CONJUGATION] += peaks * (1.0L + (squared(std::cos(w)) - 1.0L) * sines);
  }
};

double sum_of(const ReaxTally &tally)
{
  double sum = 0.0;
  for (const double one : tally.energies) sum += one;
  return sum;
}

}    // namespace

TEST(BondedTerms, each_energy_is_that_of_its_formula)
{
  for (const unsigned seed : {1u, 2u, 3u}) {
    const BondedSystem system(16, seed);
    std::vector<double> f;
    const ReaxTally tally = system.compute(f);
    const std::vector<Real> expected = Formulas(system).energies();
    for (const int term : {ReaxTally::BOND, ReaxTally::OVER_UNDER, ReaxTally::LONE_PAIR,
                           ReaxTally::ANGLE, ReaxTally::PENALTY, ReaxTally::COALITION,
                           ReaxTally::HYDROGEN, ReaxTally::TORSION, ReaxTally::CONJUGATION}) {
      const double exact = static_cast<double>(expected[term]);
      // orders of sigma bonds are small differences of others, and 0 below 1e-10
      EXPECT_NEAR(tally.energies[term], exact, 2e-11 * std::max(1.0, std::fabs(exact)))
          << "term " << term << ", seed " << seed;
      EXPECT_NE(exact, 0.0) << "term " << term;
    }
  }
}

TEST(BondedTerms, forces_are_slopes_of_the_energy)
{
  constexpr double STEP = 1e-5;
  BondedSystem system(14, 5);
  std::vector<double> f, unused;
  system.compute(f);
  double largest = 0.0;
  for (const double one : f) largest = std::max(largest, std::fabs(one));
  for (int i = 0; i < 3 * system.natoms(); i++) {
    const double at = system.x[i];
    double energies[2];
    for (int side = 0; side < 2; side++) {
      system.x[i] = at + (side ? STEP : -STEP);
      energies[side] = sum_of(system.compute(unused));
    }
    system.x[i] = at;
    EXPECT_NEAR(f[i], (energies[0] - energies[1]) / (2.0 * STEP), 1e-6 * largest)
        << "atom " << i / 3 << ", dimension " << i % 3;
  }
}

TEST(BondedTerms, virial_is_the_sum_of_forces_and_places)
{
  const BondedSystem system(16, 7);
  std::vector<double> f;
  const ReaxTally tally = system.compute(f);
  const int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; k++) {
    double sum = 0.0, size = 0.0;
    for (int i = 0; i < system.natoms(); i++) {
      const double one = f[3 * i + second[k]] * system.x[3 * i + first[k]];
      sum += one;
      size += std::fabs(one);
    }
    EXPECT_NEAR(tally.virial[k], sum, 1e-12 * size) << k;
  }
}

TEST(BondedTerms, shares_of_rows_change_no_bit_of_forces)
{
  const BondedSystem system(16, 9);
  std::vector<double> f, other;
  system.compute(f);
  for (const int nshares : {2, 3, 5}) {
    system.compute(other, nshares);
    EXPECT_EQ(f, other) << nshares;
  }
}

TEST(BondedTerms, bonds_end_where_their_order_is_below_the_cutoff)
{
  const ReaxTables tables = TOFU_TEST::make_tables();
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const double reach = tables.pair(i, j).reach;
      ASSERT_LT(reach, tables.bond_cut);
      const double x[9] = {0.0, 0.0, 0.0, reach - 1e-6, 0.0, 0.0, 0.0, reach + 1e-6, 0.0};
      const int elements[3] = {i, j, j}, others[2] = {1, 2};
      const std::int64_t tags[3] = {1, 2, 3};
      ReaxSystem system;
      system.tables = &tables;
      system.natoms = 3;
      system.x = x;
      system.element = elements;
      system.tag = tags;
      ReaxBond bonds[2];
      EXPECT_EQ(count_near(system, 0, others, 2), 1);
      ASSERT_EQ(find_bonds(system, 0, others, 2, bonds), 1);
      EXPECT_EQ(bonds[0].neighbor, 1);
      EXPECT_NEAR(bonds[0].raw, 0.0, 1e-6);
    }
}
