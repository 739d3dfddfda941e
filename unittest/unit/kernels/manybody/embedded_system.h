// SPDX-License-Identifier: GPL-2.0-only
//
// Atoms at random with a full list, and splines, for tests of potentials of embedded atoms.

#ifndef TOFU_TEST_EMBEDDED_SYSTEM_H
#define TOFU_TEST_EMBEDDED_SYSTEM_H

#include "unit/kernels/data/compared_values.h"
#include "unit/kernels/data/listed_atoms.h"
#include "unit/kernels/simd/instruction_sets.h"

#include "kernels/data/inside_rows.h"
#include "kernels/data/pair_data.h"
#include "kernels/data/row_arena.h"

namespace TOFU_TEST {

constexpr int N = 90;
constexpr double CUTOFF = 2.0;

/** Atoms at random, and a full list with some skin. */
struct System : AtomsAtRandom {
  int ntypes;
  std::vector<std::int32_t> type = std::vector<std::int32_t>(N + 1, 1);
  ListRows list;

  explicit System(int ntypes_in) : AtomsAtRandom(N, 1e6), ntypes(ntypes_in)
  {
    std::mt19937 random(815);
    std::uniform_real_distribution<double> uniform(0.0, 4.5);
    for (int i = 0; i < N; i++) {
      place(i, 0.6, random, uniform);
      type[i] = 1 + i % ntypes;
    }
    for (int i = 0; i < N; i++) {
      std::vector<int> special, others;    // results must not depend on bonds
      for (int j = 0; j < N; j++)
        if (j != i && distance(i, j) < 1.2 * CUTOFF)
          (j % 7 ? others : special).push_back(entry_of(j, j % 7 ? 0 : 1));
      list.append(special, others, N);
    }
  }
};

/** Splines through values and slopes of a function that ends smoothly at the cut-off. */
inline std::vector<double> make_spline(int nr, double strength, double power)
{
  const double dr = CUTOFF / (nr - 1);    // interval nr-1 ends at the cut-off
  const auto value = [&](double r) {
    return strength * std::pow(std::max(1.0 - r / CUTOFF, 0.0), power);
  };
  const auto slope = [&](double r) {
    return -strength * power / CUTOFF * std::pow(std::max(1.0 - r / CUTOFF, 0.0), power - 1.0) * dr;
  };
  std::vector<double> rows(4, 0.0);    // intervals count from 1
  for (int m = 1; m <= nr; m++) {
    const double r = (m - 1) * dr, a = value(r), b = value(r + dr), s = slope(r), t = slope(r + dr);
    for (double c : {s + t - 2.0 * (b - a), 3.0 * (b - a) - 2.0 * s - t, s, a}) rows.push_back(c);
  }
  return rows;
}

/** Value of a spline that begins with a row of a table. */
template <class Tables>
double spline(const Tables &tables, const std::vector<double> &table, int begin, double r)
{
  const double place = r * tables.rdr + 1.0;
  const int m = std::min(static_cast<int>(place), tables.nr - 1);
  const double p = std::min(place - m, 1.0), *const c = &table[(begin + m) * 4];
  return ((c[0] * p + c[1]) * p + c[2]) * p + c[3];
}

/** Append a spline to a table.

    \return   the row it begins with. */
inline int append_spline(std::vector<double> &to, int nr, double strength, double power)
{
  const int begin = static_cast<int>(to.size() / 4);
  const std::vector<double> rows = make_spline(nr, strength, power);
  to.insert(to.end(), rows.begin(), rows.end());
  return begin;
}

/** Intervals and cut-off of the splines of all tables. */
template <class Tables> Tables tables_of(int ntypes)
{
  Tables tables;
  tables.ntypes = ntypes;
  tables.nr = 40;
  tables.rdr = (tables.nr - 1) / CUTOFF;
  tables.cutsq = CUTOFF * CUTOFF;
  tables.pairs.resize((ntypes + 1) * (ntypes + 1));
  return tables;
}

/** What kernels compute. */
struct Result {
  std::vector<double> f = std::vector<double>(3 * N, 0.0), eatom = std::vector<double>(N, 0.0);
  std::vector<double> vatom = std::vector<double>(6 * N, 0.0);
  TOFU_NS::PairTally tally;
  double embedded = 0.0;
};

/** A kernel's arguments for a system. */
struct Job : TOFU_NS::PairJob {
  TOFU_NS::EAMInside inside;
  TOFU_NS::RowArena arena;

  Job(const System &system, TOFU_NS::Tallies wanted, Result &result)
  {
    nlocal = N;
    list = system.list.rows();
    atoms = {system.rows.data(), system.ntypes == 1 ? nullptr : system.type.data()};
    forces = {result.f.data(), nullptr};
    tallies = wanted;
    inside.first.resize(N);
    inside.nneighbors.resize(N);
    if (wanted == TOFU_NS::Tallies::ALL) {
      result.tally.eatom = result.eatom.data();
      result.tally.vatom = reinterpret_cast<double(*)[6]>(result.vatom.data());
    }
  }
};

/** Each so manieth atom's force is minus the slope of the energy.

    \param energy   () -> that of the system */
template <class Energy>
void expect_slopes_of_energy(System &system, int step, const std::vector<double> &f,
                             const Energy &energy)
{
  for (int i = 0; i < N; i += step)
    for (int dim = 0; dim < 3; dim++)
      ASSERT_NEAR(f[3 * i + dim], -slope_of(system.rows[4 * i + dim], energy), 1e-7 * largest(f))
          << "atom " << i;
}

/** The virial is that of positions and forces, and energies and virials of atoms add up.

    \param pairs   energy of all pairs */
inline void expect_sums_over_atoms(const System &system, const Result &result,
                                   TOFU_NS::Tallies tallies, double pairs)
{
  if (tallies == TOFU_NS::Tallies::NONE) return;
  const bool all = tallies == TOFU_NS::Tallies::ALL;
  const double allowed = 1e-11 * largest(result.f) * N;
  for (int c = 0; c < 6; c++) {
    const double virial = virial_of(c, N, system.rows, result.f, 3);
    double of_atoms = 0.0;
    for (int i = 0; i < N; i++) of_atoms += result.vatom[6 * i + c];
    EXPECT_NEAR(result.tally.virial[c], virial, allowed);
    if (all) { EXPECT_NEAR(of_atoms, virial, allowed); }
  }
  if (!all) return;
  double of_atoms = 0.0;
  for (double e : result.eatom) of_atoms += e;
  EXPECT_NEAR(result.tally.evdwl, pairs, 1e-12 * pairs);
  EXPECT_NEAR(of_atoms, pairs, 1e-12 * pairs);
}

/** Forces, energies and virials of the kernels are those of the energy, with all instruction sets.

    \param step         the force on each so manieth atom is compared with differences of the energy
    \param energy_of    (system, pairs) -> energy of all; pairs gets that of pairs alone
    \param found        (system) -> result with the instruction set in use
    \return             result with the best set */
template <class Energy, class Found>
Result expect_what_the_energy_gives(System &system, TOFU_NS::Tallies tallies, int step,
                                    const Energy &energy_of, const Found &found)
{
  double pairs, unused;
  const double energy = energy_of(system, pairs);
  const Result best = found(system);
  EXPECT_NEAR(best.embedded, energy - pairs, 1e-12 * energy);
  expect_slopes_of_energy(system, step, best.f, [&] { return energy_of(system, unused); });
  expect_sums_over_atoms(system, best, tallies, pairs);
  for_each_instruction_set([&] {
    const Result result = found(system);
    expect_near(best.f, result.f, 1e-12, 3);
    EXPECT_NEAR(result.tally.evdwl, best.tally.evdwl, 1e-12 * pairs);
  });
  return best;
}

}    // namespace TOFU_TEST

#endif
