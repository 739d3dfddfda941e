// SPDX-License-Identifier: GPL-2.0-only
//
// Atoms at random with a full list, and splines, for tests of potentials of embedded atoms.

#ifndef TOFU_TEST_EMBEDDED_SYSTEM_H
#define TOFU_TEST_EMBEDDED_SYSTEM_H

#include "unit/kernels/simd/instruction_sets.h"

#include "kernels/data/pair_data.h"
#include "kernels/data/row_arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace TOFU_TEST {

constexpr int N = 90;
constexpr double CUTOFF = 2.0;

/** Atoms at random, and a full list with some skin. */
struct System {
  int ntypes;
  std::vector<double> rows = std::vector<double>(4 * (N + 1), 1e6);
  std::vector<std::int32_t> type = std::vector<std::int32_t>(N + 1, 1);
  TOFU_NS::RowArena arena;
  std::vector<int> atoms, nneighbors, nspecial;
  std::vector<int *> first;

  explicit System(int ntypes_in) : ntypes(ntypes_in)
  {
    std::mt19937 random(815);
    std::uniform_real_distribution<double> uniform(0.0, 4.5);
    for (int i = 0; i < N; i++) {
      do {
        for (int dim = 0; dim < 3; dim++) rows[4 * i + dim] = uniform(random);
      } while (closest(i) < 0.6);
      rows[4 * i + 3] = 0.0;
      type[i] = 1 + i % ntypes;
    }
    for (int i = 0; i < N; i++) {
      std::vector<int> special, others;    // results must not depend on bonds
      for (int j = 0; j < N; j++)
        if (j != i && distance(i, j) < 1.2 * CUTOFF)
          (j % 7 ? others : special)
              .push_back(j % 7 ? j : static_cast<int>(j | (1u << TOFU_NS::SPECIAL_SHIFT)));
      int *const row = arena.row(special.size() + others.size(), N);
      std::copy(others.begin(), others.end(), std::copy(special.begin(), special.end(), row));
      atoms.push_back(i);
      first.push_back(row);
      nneighbors.push_back(static_cast<int>(special.size() + others.size()));
      nspecial.push_back(static_cast<int>(special.size()));
    }
  }

  double distance(int i, int j) const
  {
    double sum = 0.0;
    for (int dim = 0; dim < 3; dim++)
      sum += (rows[4 * i + dim] - rows[4 * j + dim]) * (rows[4 * i + dim] - rows[4 * j + dim]);
    return std::sqrt(sum);
  }

  double closest(int i) const
  {
    double least = 1e9;
    for (int j = 0; j < i; j++) least = std::min(least, distance(i, j));
    return least;
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

/** Each so manieth atom's force is minus the slope of the energy.

    \param energy   () -> that of the system */
template <class Energy>
void expect_slopes_of_energy(System &system, int step, const std::vector<double> &f, double largest,
                             const Energy &energy)
{
  for (int i = 0; i < N; i += step)
    for (int dim = 0; dim < 3; dim++) {
      double &x = system.rows[4 * i + dim];
      const double h = 1e-5, before = x;
      x = before + h;
      const double after = energy();
      x = before - h;
      const double slope = (after - energy()) / (2 * h);
      x = before;
      ASSERT_NEAR(f[3 * i + dim], -slope, 1e-7 * largest) << "atom " << i;
    }
}

/** The virial is that of positions and forces, and energies and virials of atoms add up.

    \param result   with f, eatom, vatom and tally
    \param pairs    energy of all pairs */
template <class Result>
void expect_sums_over_atoms(const System &system, const Result &result, TOFU_NS::Tallies tallies,
                            double pairs, double largest)
{
  if (tallies == TOFU_NS::Tallies::NONE) return;
  const bool all = tallies == TOFU_NS::Tallies::ALL;
  const int a[6] = {0, 1, 2, 0, 0, 1}, b[6] = {0, 1, 2, 1, 2, 2};
  for (int c = 0; c < 6; c++) {
    double virial = 0.0, of_atoms = 0.0;
    for (int i = 0; i < N; i++) {
      virial += system.rows[4 * i + a[c]] * result.f[3 * i + b[c]];
      of_atoms += result.vatom[6 * i + c];
    }
    EXPECT_NEAR(result.tally.virial[c], virial, 1e-11 * largest * N);
    if (all) { EXPECT_NEAR(of_atoms, virial, 1e-11 * largest * N); }
  }
  if (!all) return;
  double of_atoms = 0.0;
  for (double e : result.eatom) of_atoms += e;
  EXPECT_NEAR(result.tally.evdwl, pairs, 1e-12 * pairs);
  EXPECT_NEAR(of_atoms, pairs, 1e-12 * pairs);
}

/** \param found   () -> result with the instruction set in use */
template <class Result, class Found>
void expect_same_for_all_instruction_sets(const Result &best, double pairs, double largest,
                                          const Found &found)
{
  for (std::int64_t set : instruction_sets()) {
    SCOPED_TRACE(instruction_set_name(set));
    use_instruction_set(set);
    const Result result = found();
    use_best_instruction_set();
    for (int n = 0; n < 3 * N; n++) ASSERT_NEAR(result.f[n], best.f[n], 1e-12 * largest);
    EXPECT_NEAR(result.tally.evdwl, best.tally.evdwl, 1e-12 * pairs);
  }
}

}    // namespace TOFU_TEST

#endif
