// SPDX-License-Identifier: GPL-2.0-only
//
// Kernels of three-body potentials against plain sums of energies, and against forces that are
// differences of these energies.

#include "unit/kernels/data/compared_values.h"
#include "unit/kernels/data/listed_atoms.h"
#include "unit/kernels/simd/instruction_sets.h"

#include "kernels/manybody/edip.h"
#include "kernels/manybody/edip_multi.h"
#include "kernels/manybody/sw.h"
#include "kernels/manybody/tersoff.h"
#include "kernels/manybody/vashishta.h"
#include "kernels/neighbor/near_rows.h"

using namespace TOFU_NS;
using namespace TOFU_TEST;

namespace {

constexpr int NCENTERS = 150, NALL = 230;    // the rest are ghosts
constexpr double CUTOFF = 1.3;

/** Atoms at random, and a full list with some skin. */
struct System : AtomsAtRandom {
  int nelements;
  ListRows list;

  explicit System(int nelements_in) : AtomsAtRandom(NALL, 1e12), nelements(nelements_in)
  {
    std::mt19937 random(4711);
    std::uniform_real_distribution<double> uniform(0.0, 5.0);
    for (int i = 0; i < NALL; i++) {
      place(i, 0.65, random, uniform);
      rows[4 * i + 3] = i % nelements;
    }
    for (int i = 0; i < NCENTERS; i++) {
      std::vector<int> special, others;    // results must not depend on bonds
      for (int j = 0; j < NALL; j++)
        if (j != i && distance(i, j) < 1.25 * CUTOFF)
          (j % 7 ? others : special).push_back(entry_of(j, j % 7 ? 0 : 1));
      list.append(special, others, NALL);
    }
  }

  /** Ghosts that are neighbors of nothing, for kernels that leave half of each pair to the rank
      that owns the other atom. */
  void move_ghosts_away()
  {
    for (int i = NCENTERS; i < NALL; i++) rows[4 * i] += 10.0 * CUTOFF * i;
  }

  int element(int i) const { return static_cast<int>(rows[4 * i + 3]); }

  double costheta(int i, int j, int k) const
  {
    double sum = 0.0;
    for (int dim = 0; dim < 3; dim++)
      sum += (rows[4 * j + dim] - rows[4 * i + dim]) * (rows[4 * k + dim] - rows[4 * i + dim]);
    return sum / (distance(i, j) * distance(i, k));
  }
};

using Energy = std::function<double(const System &, int i)>;    // energy of one center
using Kernel = std::function<void(const CenterJob &)>;

constexpr int STRIDE = CenterForces::TALLY_STRIDE;

struct Result {
  std::vector<double> f = std::vector<double>(4 * (NALL + 1), 0.0);
  std::vector<double> of_atoms = std::vector<double>(STRIDE * (NALL + 1), 0.0);
  PairTally tally;
};

// the parts of the work one after the other, as the style cuts them

Result found(const System &system, int nparts, Tallies tallies, const Kernel &kernel)
{
  PairJob job;
  job.nlocal = NCENTERS;
  job.list = system.list.rows();
  job.atoms = {system.rows.data(), nullptr};
  job.tallies = tallies;
  NearRows near_rows;
  near_rows.reset(nparts, NALL, 1.1 * CUTOFF, 0.1 * CUTOFF);

  Result result;
  AtomOwners owners;
  for (int part = 0; part <= nparts; part++) {
    owners.owned.push_back(NCENTERS * part / nparts);
    owners.ghosts.push_back(NCENTERS + (NALL - NCENTERS) * part / nparts);
  }
  std::vector<std::vector<CenterForces::Sent>> sent(nparts);
  std::vector<std::vector<CenterForces::SentTally>> sent_tallies(nparts);
  for (int part = 0; part < nparts; part++) {
    const int first = owners.owned[part], last = owners.owned[part + 1];
    near_rows.fill(part, job.list, job.atoms, first, last);
    PairJob mine = job;
    mine.list = near_rows.rows(job.list);
    CenterForces forces{result.f.data(), first, nparts == 1 ? NALL : last, &owners, &sent};
    if (tallies == Tallies::ALL) forces.tallies = result.of_atoms.data();
    forces.tally_outbox = &sent_tallies;
    CenterWorkspace work;
    kernel({mine, forces, work, first, last, result.tally});
  }
  for (int part = 0; part < nparts; part++)
    for (const CenterForces::Sent &one : sent[part]) {
      EXPECT_EQ(owners.part_of(one.atom), part);
      for (int dim = 0; dim < 3; dim++) result.f[4 * one.atom + dim] -= one.gradient[dim];
    }
  for (int part = 0; part < nparts; part++)
    for (const CenterForces::SentTally &one : sent_tallies[part]) {
      EXPECT_EQ(owners.part_of(one.atom), part);
      for (int n = 0; n < CenterForces::NTALLIES; n++)
        result.of_atoms[STRIDE * one.atom + n] += one.values[n];
    }
  return result;
}

void expect_what_the_energy_gives(System &system, const Result &result, Tallies tallies,
                                  const Energy &energy)
{
  double sum = 0.0;
  for (int i = 0; i < NCENTERS; i++) sum += energy(system, i);
  if (tallies == Tallies::ALL) { EXPECT_NEAR(result.tally.evdwl, sum, 1e-12 * std::fabs(sum)); }

  const double most = largest(result.f);
  for (int j = 0; j < NALL; j += 7)
    for (int dim = 0; dim < 3; dim++) {
      double &x = system.rows[4 * j + dim];
      const double h = 2e-6, before = x;    // slopes have kinks where cut-off functions begin
      double around[4];
      for (int k = 0; k < 4; k++) {
        x = before + h * (k < 2 ? k - 2 : k - 1);
        around[k] = 0.0;
        for (int i = 0; i < NCENTERS; i++)
          if (system.distance(i, j) < 1.01 * CUTOFF) around[k] += energy(system, i);
      }
      x = before;
      const double slope = (around[0] - 8 * around[1] + 8 * around[2] - around[3]) / (12 * h);
      ASSERT_NEAR(result.f[4 * j + dim], -slope, 1e-7 * most) << "atom " << j;
    }

  if (tallies == Tallies::NONE) return;
  for (int c = 0; c < 6; c++)
    EXPECT_NEAR(result.tally.virial[c], virial_of(c, NALL, system.rows, result.f, 4),
                1e-11 * most * NALL);
}

// energies and virials of atoms are shares of those of all

void expect_shares_of_all(const Result &result, Tallies tallies)
{
  if (tallies != Tallies::ALL) return;
  double sums[CenterForces::NTALLIES] = {}, sizes[CenterForces::NTALLIES] = {};
  for (int i = 0; i < NALL; i++)
    for (int n = 0; n < CenterForces::NTALLIES; n++) {
      sums[n] += result.of_atoms[STRIDE * i + n];
      sizes[n] += std::fabs(result.of_atoms[STRIDE * i + n]);
    }
  EXPECT_NEAR(sums[0], result.tally.evdwl, 1e-12 * sizes[0]);
  for (int n = 1; n < CenterForces::NTALLIES; n++)
    EXPECT_NEAR(sums[n], result.tally.virial[n - 1], 1e-12 * sizes[n]);
}

/** The kernel of a potential, with its coefficients. */
template <class Function, class Coefficients>
Kernel kernel_of(Function *function, const Coefficients &coefficients)
{
  return [=, &coefficients](const CenterJob &job) {
    function(coefficients, job);
  };
}

// settings with and without elements and tallies, for some numbers of parts

class CenterKernels : public testing::TestWithParam<std::tuple<int, Tallies, int>> {
 protected:
  System system{std::get<0>(GetParam())};

  // all instruction sets are compared with the best one, which is compared with energies

  void check(const Kernel &kernel, const Energy &energy)
  {
    const auto [nelements, tallies, nparts] = GetParam();
    const Result best = found(system, nparts, tallies, kernel);
    expect_what_the_energy_gives(system, best, tallies, energy);
    expect_shares_of_all(best, tallies);
    expect_near(found(system, 1, tallies, kernel).of_atoms, best.of_atoms, 1e-12, STRIDE);
    for_each_instruction_set([&, tallies = tallies, nparts = nparts] {
      const Result result = found(system, nparts, tallies, kernel);
      expect_near(best.f, result.f, 1e-12, 4);
      expect_near(best.of_atoms, result.of_atoms, 1e-12, STRIDE);
      EXPECT_NEAR(result.tally.evdwl, best.tally.evdwl, 1e-12 * std::fabs(best.tally.evdwl));
    });
  }
};

/** Coefficients of pairs and triples of elements, all of them different. */
template <class Coefficients, int NPAIR, int NTRIPLE> struct OfElements {
  std::vector<double> cutsq, pairs, triples;
  Coefficients all;

  const double *pair(const System &system, int i, int j) const
  {
    return &pairs[NPAIR * (system.element(i) * all.nelements + system.element(j))];
  }
  const double *triple(const System &system, int i, int j, int k) const
  {
    const int n = all.nelements;
    return &triples[NTRIPLE *
                    ((system.element(i) * n + system.element(j)) * n + system.element(k))];
  }
};

struct StillingerWeber : OfElements<SWCoefficients, 8, 4> {

  StillingerWeber(int n, bool common_powers, bool modified)
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        const double cut = CUTOFF * (1.0 - 0.05 * (i + j)), sigma = 0.6 + 0.02 * (i + j);
        cutsq.push_back(cut * cut);
        for (double c :
             {cut, sigma, sigma * (1.2 - 0.1 * i), 4.0 + (common_powers ? 0 : 0.5 * i * j),
              common_powers ? 0.0 : 0.3, 0.5 + 0.1 * i * j, 0.8, 0.0})
          pairs.push_back(c);
        for (int k = 0; k < n; k++)
          for (double c : {20.0 + i - 2.0 * (j + k), -1.0 / 3.0 + 0.1 * (i + j * k), 0.0, 0.0})
            triples.push_back(c);
      }
    all = {n,
           cutsq.data(),
           pairs.data(),
           triples.data(),
           common_powers ? 4 : -1,
           common_powers ? 0 : -1};
    if (!modified) return;
    all.modified = true;
    all.delta1 = 0.15;
    all.delta2 = 0.6;
    where_forces_are_taken.reset(new System(n));    // a system is always the same
  }

  double operator()(const System &system, int i) const
  {
    double energy = 0.0;
    for (int j = 0; j < NALL; j++) {
      if (j == i || !reaches(system, i, j)) continue;
      const double *const c = pair(system, i, j);
      const double r = system.distance(i, j);
      energy += 0.5 * (c[5] * std::pow(r, -c[3]) - c[6] * std::pow(r, -c[4])) *
          std::exp(c[1] / (r - c[0]));
      for (int k = j + 1; k < NALL; k++) {
        if (k == i || !reaches(system, i, k)) continue;
        const double *const t = triple(system, i, j, k);
        const double delcs = difference(system, i, j, k, t[1]);
        energy += t[0] * delcs * delcs * decay(system, i, j) * decay(system, i, k);
      }
    }
    return energy;
  }

 private:
  bool reaches(const System &system, int i, int j) const
  {
    return system.distance(i, j) < pair(system, i, j)[0];
  }
  // Forces of modified angles are those of cosines whose distance from the preferred cosine is
  // shorter by what it is where forces are taken: LAMMPS does not differentiate the factor.

  std::unique_ptr<const System> where_forces_are_taken;

  double difference(const System &system, int i, int j, int k, double preferred) const
  {
    const double delcs = system.costheta(i, j, k) - preferred;
    if (!all.modified) return delcs;
    const double there = where_forces_are_taken->costheta(i, j, k) - preferred;
    const double x = (std::fabs(there) - all.delta1) / (all.delta2 - all.delta1);
    const double factor = x < 0.0 ? 1.0 : x > 1.0 ? 0.0 : 0.5 + 0.5 * std::cos(M_PI * x);
    return delcs - (1.0 - factor) * there;
  }

  double decay(const System &system, int i, int j) const
  {
    const double *const c = pair(system, i, j);
    return std::exp(c[2] / (system.distance(i, j) - c[0]));
  }
};

struct TersoffPotential : OfElements<TersoffCoefficients, TersoffCoefficients::NPAIR, 12> {
  TersoffPotential(int n, bool exponents, double shift, TersoffForm form)
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        const double reach = CUTOFF - shift;
        cutsq.push_back(reach * reach);
        for (double c : {CUTOFF - 0.15 - 0.02 * (i + j), 0.15, 1.0 / 0.15, 3.0 + 0.1 * (i + j),
                         50.0, 1.5 + 0.1 * i, 10.0 + j, 0.5 + 0.2 * i, 0.7 + 0.3 * j, 1e-20,
                         0.9 + 0.2 * i, -2.0 + j, 3.0 + i * j, 2.5, 0.8 + 0.1 * j, 12.0 - i})
          pairs.push_back(c);
        for (int k = 0; k < n; k++) {
          const double c2 = 4.0 + i, d2 = 1.0 + 0.5 * k;
          const bool mod = form == TersoffForm::MOD;
          for (double c : {0.8 + 0.1 * j, c2, d2, -0.3 + 0.1 * k, mod ? 0.4 + 0.1 * i : c2 / d2,
                           exponents ? 1.2 - 0.1 * j : 0.0, (i + j + k) % 2 ? 3.0 : 1.0,
                           mod ? 1.5 + 0.2 * k : 0.0, CUTOFF - 0.2 - 0.03 * j, 0.2, 5.0, 0.0})
            triples.push_back(c);
        }
      }
    if (n == 1) std::copy_n(pairs.begin(), 3, triples.begin() + 8);
    all.form = form;
    all.nelements = n;
    all.shift = shift;
    all.cutsq = cutsq.data();
    all.pairs = pairs.data();
    all.triples = triples.data();
    all.exponents = exponents;
  }

  double operator()(const System &system, int i) const
  {
    double energy = 0.0;
    for (int j = 0; j < NALL; j++) {
      const double *const c = pair(system, i, j);
      const double r = system.distance(i, j) + all.shift, fc = cut_off(c, r);
      if (j == i || fc == 0.0) continue;
      double zeta = 0.0;
      for (int k = 0; k < NALL; k++)
        if (k != i && k != j) zeta += term(system, i, j, k, r);
      const bool mod = all.form == TersoffForm::MOD;
      const double b = std::pow(1.0 + std::pow(c[7] * zeta, c[8]), -0.5 / c[mod ? 10 : 8]);
      const double bond = 0.5 * fc *
          (c[4] * std::exp(-c[3] * r) + (mod ? c[11] : 0.0) - b * c[6] * std::exp(-c[5] * r));
      if (all.form != TersoffForm::ZBL) {
        energy += bond;
        continue;
      }
      const double fermi = 1.0 / (1.0 + std::exp(-c[15] * (r - c[14]))), x = r * c[13];
      const double phi = 0.1818 * std::exp(-3.2 * x) + 0.5099 * std::exp(-0.9423 * x) +
          0.2802 * std::exp(-0.4029 * x) + 0.02817 * std::exp(-0.2016 * x);
      energy += fermi * bond + 0.5 * (1.0 - fermi) * c[12] / r * phi;
    }
    return energy;
  }

 private:
  double cut_off(const double *c, double r) const
  {
    if (r < c[0] - c[1]) return 1.0;
    if (r > c[0] + c[1]) return 0.0;
    const double x = 0.5 * M_PI * (r - c[0]) / c[1];
    if (all.form != TersoffForm::MOD) return 0.5 - 0.5 * std::sin(x);
    return 0.5 * (1.0 - 1.125 * std::sin(x) - 0.125 * std::sin(3.0 * x));
  }

  double term(const System &system, int i, int j, int k, double rij) const
  {
    const double *const t = triple(system, i, j, k);
    const double rik = system.distance(i, k) + all.shift, fc = cut_off(t + 8, rik);
    if (fc == 0.0) return 0.0;
    const double x = t[3] - system.costheta(i, j, k);
    const double g = all.form == TersoffForm::MOD
        ? t[0] + t[1] * x * x / (t[2] + x * x) * (1.0 + t[4] * std::exp(-t[7] * x * x))
        : t[0] * (1.0 + t[1] / t[2] - t[1] / (t[2] + x * x));
    return fc * g * std::exp(std::pow(t[5] * (rij - rik), t[6]));
  }
};

/** Coefficients that differ for all pairs and triples of elements, but not for a pair and its
    reverse. */
struct Vashishta {
  std::vector<double> cutsq, pairs, near_cutsq, near, triples;
  VashishtaCoefficients all;

  Vashishta(int n, bool whole_powers)
  {
    all.nelements = n;
    all.column = n + VashishtaCoefficients::PADDING;
    all.whole_powers = whole_powers;
    pairs.assign(VashishtaCoefficients::NPAIR * n * all.column, 0.0);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        const double cut = CUTOFF * (1.0 - 0.03 * (i + j)), r0 = 0.95 * CUTOFF - 0.04 * (i + 2 * j);
        cutsq.push_back(cut * cut);
        near_cutsq.push_back(r0 * r0);
        for (double c : {r0, 0.3 + 0.1 * j, 0.0, 0.0}) near.push_back(c);
        const double eta = whole_powers ? 7.0 + i * j : 6.5 + 0.3 * i * j;
        const double values[] = {0.4 + 0.1 * (i + j), eta,         (1.0 - i) * (1.0 - j) * 0.7,
                                 0.5 + 0.1 * i * j,   0.6 * i * j, 0.8,
                                 0.1 * (i + j),       0.0,         0.0};
        for (int k = 0; k < VashishtaCoefficients::NPAIR; k++) column(i, k)[j] = values[k];
        column(i, 7)[j] = slope(i, j, cut);
        column(i, 8)[j] = cut * column(i, 7)[j] - unshifted(i, j, cut);
        for (int k = 0; k < n; k++)
          for (double c :
               {20.0 + i - 2.0 * (j + k), 0.5 + 0.2 * i, -1.0 / 3.0 + 0.1 * (i + j * k), 0.0})
            triples.push_back(c);
      }
    all.cutsq = cutsq.data();
    all.pairs = pairs.data();
    all.near_cutsq = near_cutsq.data();
    all.near = near.data();
    all.triples = triples.data();
  }

  double operator()(const System &system, int i) const
  {
    const int n = all.nelements, itype = system.element(i);
    double energy = 0.0;
    for (int j = 0; j < NALL; j++) {
      if (j == i) continue;
      const int jtype = system.element(j);
      const double r = system.distance(i, j);
      if (r * r < cutsq[itype * n + jtype])
        energy += 0.5 *
            (unshifted(itype, jtype, r) - r * column(itype, 7)[jtype] + column(itype, 8)[jtype]);
      if (decay(system, i, j) == 0.0) continue;
      for (int k = j + 1; k < NALL; k++) {
        if (k == i) continue;
        const double *const t = &triples[4 * ((itype * n + jtype) * n + system.element(k))];
        const double factors = decay(system, i, j) * decay(system, i, k);
        if (factors == 0.0) continue;
        const double delcs = system.costheta(i, j, k) - t[2];
        energy += t[0] * factors * delcs * delcs / (1.0 + t[1] * delcs * delcs);
      }
    }
    return energy;
  }

 private:
  double *column(int i, int k) { return &pairs[(9 * i + k) * all.column]; }
  const double *column(int i, int k) const { return &pairs[(9 * i + k) * all.column]; }

  double unshifted(int i, int j, double r) const
  {
    const auto c = [&](int k) {
      return column(i, k)[j];
    };
    return c(0) * std::pow(r, -c(1)) + c(2) / r * std::exp(-r * c(3)) -
        c(4) * std::pow(r, -4.0) * std::exp(-r * c(5)) - c(6) * std::pow(r, -6.0);
  }
  double slope(int i, int j, double r) const
  {
    const double h = 1e-3;
    const auto e = [&](int k) {
      return unshifted(i, j, r + k * h);
    };
    return (e(-2) - 8 * e(-1) + 8 * e(1) - e(2)) / (12 * h);
  }
  double decay(const System &system, int i, int j) const
  {
    const double *const c = &near[4 * (system.element(i) * all.nelements + system.element(j))];
    const double r = system.distance(i, j);
    return r < c[0] ? std::exp(c[1] / (r - c[0])) : 0.0;
  }
};

/** Coefficients that differ for all pairs and triples of elements, but not for the order of two
    neighbors. */
struct EDIP : OfElements<EDIPCoefficients, 12, 8> {
  explicit EDIP(int n)
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        const double cut = CUTOFF * (1.0 - 0.03 * (i + 2 * j));
        cutsq.push_back(cut * cut);
        for (double c : {8.0 - i, 0.6 + 0.05 * j, 1.2 + 0.3 * i, 0.25 + 0.05 * j, cut,
                         0.8 - 0.02 * (2 * i + j), 3.0 - 0.2 * j, 0.4 + 0.05 * i,
                         0.01 + 0.002 * (i + 2 * j), 0.0, 0.0, 0.0})
          pairs.push_back(c);
        for (int k = 0; k < n; k++)
          for (double c : {20.0 + 3.0 * (i + j + k), 0.3 + 0.02 * j * k, 1.4 - 0.1 * (j + k),
                           0.25 + 0.05 * (i + j * k), -0.16, 5.0 + i + j + k, 0.28, 0.3 + 0.02 * i})
            triples.push_back(c);
      }
    all = {n, cutsq.data(), pairs.data(), triples.data()};
  }

  double operator()(const System &system, int i) const
  {
    double z = 0.0, energy = 0.0;
    for (int j = 0; j < NALL; j++)
      z += j == i ? 0.0 : count(pair(system, i, j), system.distance(i, j));
    for (int j = 0; j < NALL; j++) {
      const double *const c = pair(system, i, j), r = system.distance(i, j);
      if (j == i || r >= c[4]) continue;
      energy += strength(c, r) * (std::pow(c[1] / r, c[2]) - std::exp(-c[8] * z * z));
      for (int k = j + 1; k < NALL; k++) {
        const double *const other = pair(system, i, k), rik = system.distance(i, k);
        if (k == i || rik >= other[4]) continue;
        const double *const t = triple(system, i, j, k);
        const double delta = system.costheta(i, j, k) + tau(t, z), x = q(t, z) * delta * delta;
        energy += decay(c, r) * decay(other, rik) * t[2] * (1.0 - std::exp(-x) + t[3] * x);
      }
    }
    return energy;
  }

  // functions of distance and of the coordination number

  static double strength(const double *c, double r) { return c[0] * std::exp(c[3] / (r - c[4])); }
  static double decay(const double *c, double r) { return std::exp(c[7] / (r - c[4])); }
  static double count(const double *c, double r)
  {
    if (r <= c[5]) return 1.0;
    if (r >= c[4]) return 0.0;
    const double x = (c[4] - c[5]) / (r - c[5]);
    return std::exp(c[6] / (1.0 - x * x * x));
  }
  static double count_slope(const double *c, double r)
  {
    if (r <= c[5] || r >= c[4]) return 0.0;
    const double w = c[4] - c[5], x = w / (r - c[5]), y = 1.0 - x * x * x;
    return -3.0 * c[6] / w * x * x * x * x / (y * y) * std::exp(c[6] / y);
  }
  static double q(const double *t, double z) { return t[0] * std::exp(-t[1] * z); }
  static double tau(const double *t, double z)
  {
    return t[4] + t[5] * (t[6] * std::exp(-t[7] * z) - std::exp(-2.0 * t[7] * z));
  }
  static double tau_slope(const double *t, double z)
  {
    return t[5] * t[7] * (2.0 * std::exp(-2.0 * t[7] * z) - t[6] * std::exp(-t[7] * z));
  }
};

/** Tables of EDIP of one element, as LAMMPS makes them. */
struct TabulatedEDIP {
  static constexpr double START = 0.3;
  static constexpr int MAXCOORDINATION = 40;

  EDIP formulas{1};
  std::vector<double> distances, count_slopes, weakening, q, tau, tau_slope;
  EDIPTables all;

  explicit TabulatedEDIP(double density)
  {
    const double *const c = formulas.pairs.data(), *const t = formulas.triples.data();
    all.cut = c[4];
    all.cutsq = c[4] * c[4];
    all.near = c[5];
    all.sigma = c[3];
    all.gamma = c[7];
    all.rho = c[2];
    all.beta = c[8];
    all.lambda = t[2];
    all.eta = t[3];
    all.mu = t[1];
    all.start = START;
    all.density = density;
    all.coordination_density = 0.9 * density;
    all.ndistances = static_cast<int>((c[4] - START) * density) + 2;
    all.ncoordinations = static_cast<int>(MAXCOORDINATION * all.coordination_density);
    for (int n = 0; n < all.ndistances; n++) {
      const double r = START + n / density;
      const bool inside = r < c[4];
      for (double value :
           {inside ? formulas.decay(c, r) : 0.0, inside ? formulas.strength(c, r) : 0.0,
            std::pow(c[1] / r, c[2]), formulas.count(c, r)})
        distances.push_back(value);
      count_slopes.push_back(formulas.count_slope(c, r));
    }
    for (int n = 0; n < all.ncoordinations; n++) {
      const double z = n / all.coordination_density;
      weakening.push_back(std::exp(-c[8] * z * z));
      q.push_back(formulas.q(t, z));
      tau.push_back(formulas.tau(t, z));
      tau_slope.push_back(formulas.tau_slope(t, z));
    }
    all.distances = distances.data();
    all.count_slopes = count_slopes.data();
    all.weakening = weakening.data();
    all.q = q.data();
    all.tau = tau.data();
    all.tau_slope = tau_slope.data();
  }
};

std::string name_of(const testing::TestParamInfo<CenterKernels::ParamType> &info)
{
  const char *const tallies[] = {"Forces", "Virial", "Energy"};
  const auto [nelements, wanted, nparts] = info.param;
  return std::to_string(nelements) + "Elements" + tallies[static_cast<int>(wanted)] +
      std::to_string(nparts) + "Parts";
}

}    // namespace

TEST_P(CenterKernels, StillingerAndWeberAreWhatTheEnergyGives)
{
  for (const auto &[common_powers, modified] :
       {std::pair(true, false), std::pair(false, false), std::pair(true, true)}) {
    SCOPED_TRACE(modified ? "modified" : "");
    const StillingerWeber potential(system.nelements, common_powers, modified);
    check(kernel_of(stillinger_weber, potential.all), std::cref(potential));
  }
}

TEST_P(CenterKernels, TersoffsBondsAreWhatTheEnergyGives)
{
  for (TersoffForm form : {TersoffForm::PLAIN, TersoffForm::ZBL, TersoffForm::MOD})
    for (bool exponents : {true, false}) {
      SCOPED_TRACE("form " + std::to_string(static_cast<int>(form)));
      const TersoffPotential potential(system.nelements, exponents, exponents ? 0.0 : 0.07, form);
      check(kernel_of(tersoff, potential.all), std::cref(potential));
    }
}

TEST_P(CenterKernels, VashishtasPairsAndTriplesAreWhatTheEnergyGives)
{
  system.move_ghosts_away();
  for (bool whole_powers : {true, false}) {
    SCOPED_TRACE(whole_powers ? "whole powers" : "any powers");
    const Vashishta potential(system.nelements, whole_powers);
    check(kernel_of(vashishta, potential.all), std::cref(potential));
  }
}

TEST_P(CenterKernels, EDIPIsWhatTheEnergyGives)
{
  const EDIP potential(system.nelements);
  check(kernel_of(edip_multi, potential.all), std::cref(potential));
}

INSTANTIATE_TEST_SUITE_P(All, CenterKernels,
                         testing::Combine(testing::Values(1, 3),
                                          testing::Values(Tallies::NONE, Tallies::VIRIAL,
                                                          Tallies::ALL),
                                          testing::Values(1, 3)),
                         name_of);

/** Sums of pair after pair from the same tables are those of LAMMPS' style, which the end-to-end
    tests compare with. */
TEST(EDIPFromTables, IsTheSameWithEachInstructionSetAndInParts)
{
  const System system(1);
  const TabulatedEDIP potential(90.0);    // other rows give other values
  const Kernel kernel = kernel_of(edip, potential.all);
  const Result expected = found(system, 1, Tallies::ALL, kernel);
  for_each_instruction_set([&] {
    const Result all = found(system, 3, Tallies::ALL, kernel),
                 forces = found(system, 1, Tallies::NONE, kernel);
    expect_near(expected.f, all.f, 1e-12, 4);
    expect_near(expected.f, forces.f, 1e-12, 4);
    expect_shares_of_all(all, Tallies::ALL);
    EXPECT_NEAR(all.tally.evdwl, expected.tally.evdwl, 1e-12 * std::fabs(expected.tally.evdwl));
  });
}

TEST(EDIPFromTables, IsThatOfFormulasWhereRowsAreClose)
{
  const System system(1);
  const TabulatedEDIP potential(1e5);
  const Result exact =
      found(system, 1, Tallies::ALL, kernel_of(edip_multi, potential.formulas.all));
  for_each_instruction_set([&] {
    const Result tabulated = found(system, 1, Tallies::ALL, kernel_of(edip, potential.all));
    expect_near(exact.f, tabulated.f, 1e-8, 4);
    EXPECT_NEAR(tabulated.tally.evdwl, exact.tally.evdwl, 1e-8 * std::fabs(exact.tally.evdwl));
  });
}

/** Atoms that are closer than the first row, and more neighbors than a table of Z knows. */
TEST(EDIPFromTables, AreNeverReadOutside)
{
  System system(1);
  for (int i = 0; i < NALL; i++)
    for (int dim = 0; dim < 3; dim++) system.rows[4 * i + dim] *= 0.2;
  TabulatedEDIP potential(90.0);
  potential.all.ncoordinations = 100;
  const Result result = found(system, 1, Tallies::ALL, kernel_of(edip, potential.all));
  for (double f : result.f) ASSERT_TRUE(std::isfinite(f));
}

class NearRowsOfASystem : public testing::Test {
 protected:
  System system{1};
  const PairAtoms atoms{system.rows.data(), nullptr};
  NearRows near_rows;

  NearRowsOfASystem()
  {
    near_rows.reset(1, NALL, 1.1 * CUTOFF, 0.1 * CUTOFF);
    near_rows.fill(0, system.list.rows(), atoms, 0, NCENTERS);
  }
};

TEST_F(NearRowsOfASystem, ServeUntilAnAtomHasMovedByHalfTheirSkin)
{
  near_rows.hold(atoms, 0, NALL);
  EXPECT_FALSE(near_rows.moved(atoms, 0, NALL));
  for (int atom : {0, 100, NALL - 1}) {
    double &y = system.rows[4 * atom + 1];
    const double before = y;
    y += 0.049 * CUTOFF;
    EXPECT_FALSE(near_rows.moved(atoms, 0, NALL));
    y += 0.002 * CUTOFF;
    EXPECT_TRUE(near_rows.moved(atoms, 0, NALL));
    EXPECT_FALSE(near_rows.moved(atoms, 0, atom));
    EXPECT_FALSE(near_rows.moved(atoms, atom + 1, NALL));
    y = std::nan("");
    EXPECT_TRUE(near_rows.moved(atoms, 0, NALL));
    y = before;
  }
}

TEST_F(NearRowsOfASystem, KeepTheOrderOfTheList)
{
  const PairRows rows = near_rows.rows(system.list.rows());
  for (int i = 0; i < NCENTERS; i++) {
    std::vector<int> expected;
    for (int k = 0; k < system.list.nneighbors[i]; k++) {
      const int j = static_cast<int>(system.list.first[i][k] & NEIGHBOR_MASK);
      if (system.distance(i, j) < 1.1 * CUTOFF) expected.push_back(j);
    }
    EXPECT_EQ(std::vector<int>(rows.first[i], rows.first[i] + rows.nneighbors[i]), expected);
    for (int k = 0; k < ROW_PADDING; k++) EXPECT_EQ(rows.first[i][rows.nneighbors[i] + k], NALL);
  }
}
