// SPDX-License-Identifier: GPL-2.0-only
//
// Paths of atoms are those of a loop over atoms, with all instruction sets, for any parts.

#include "kernels/motion/atom_forecast.h"

#include "unit/kernels/simd/instruction_sets.h"

#include <cstddef>

using namespace TOFU_NS;

namespace {

struct Atoms {
  std::vector<double> hold, before3, before2, before1, now;

  explicit Atoms(int natoms, unsigned seed = 7)
  {
    std::mt19937 random(seed);
    std::normal_distribution<double> gauss(0.0, 1.0);
    for (int k = 0; k < 3 * natoms; k++) {
      hold.push_back(10.0 * gauss(random));
      before3.push_back(hold.back() + 0.05 * gauss(random));
      before2.push_back(before3.back() + 0.01 * gauss(random));
      before1.push_back(before2.back() + 0.01 * gauss(random));
      now.push_back(before1.back() + 0.01 * gauss(random));
    }
  }

  PathForecast forecast(int first, int natoms) const
  {
    const std::size_t at = 3 * static_cast<std::size_t>(first);
    PathForecast found;
    add_forecast({hold.data() + at, before3.data() + at, before2.data() + at, before1.data() + at,
                  now.data() + at},
                 natoms, found);
    return found;
  }
};

double square(const double *vector)
{
  return vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2];
}

PathForecast expected(const Atoms &atoms)
{
  PathForecast forecast;
  for (std::size_t i = 0; i < atoms.now.size(); i += 3) {
    double last[3], gain[3], change[3], moved[3];
    for (int d = 0; d < 3; d++) {
      const double x0 = atoms.now[i + d], x1 = atoms.before1[i + d], x2 = atoms.before2[i + d],
                   x3 = atoms.before3[i + d];
      last[d] = x0 - x1;
      gain[d] = x0 - 2.0 * x1 + x2;
      change[d] = x0 - 3.0 * x1 + 3.0 * x2 - x3;
    }
    forecast.change = std::max(forecast.change, square(change));
    forecast.gain = std::max(forecast.gain, square(gain));
    for (int k = 1; k <= PathForecast::STEPS; k++) {
      for (int d = 0; d < 3; d++)
        moved[d] = atoms.now[i + d] + k * last[d] + 0.5 * k * (k + 1) * gain[d] - atoms.hold[i + d];
      forecast.farthest[k - 1] = std::max(forecast.farthest[k - 1], square(moved));
    }
  }
  return forecast;
}

class Forecast : public TOFU_TEST::WithInstructionSet {};

TEST_P(Forecast, IsThatOfALoopOverAtoms)
{
  for (const int natoms : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 17, 64, 777}) {
    const Atoms atoms(natoms);
    const PathForecast wanted = expected(atoms), found = atoms.forecast(0, natoms);
    EXPECT_NEAR(found.change, wanted.change, 1e-11 * wanted.change) << natoms;
    EXPECT_NEAR(found.gain, wanted.gain, 1e-11 * wanted.gain) << natoms;
    for (int k = 0; k < PathForecast::STEPS; k++)
      EXPECT_NEAR(found.farthest[k], wanted.farthest[k], 1e-11 * wanted.farthest[k])
          << natoms << " " << k;
  }
}

TEST_P(Forecast, EachAtomCounts)
{
  for (int fastest = 0; fastest < 19; fastest++) {
    Atoms atoms(19);
    atoms.now[3 * fastest + fastest % 3] += 5.0;
    const PathForecast wanted = expected(atoms), found = atoms.forecast(0, 19);
    EXPECT_NEAR(found.change, wanted.change, 1e-12 * wanted.change) << fastest;
    EXPECT_NEAR(found.farthest[7], wanted.farthest[7], 1e-12 * wanted.farthest[7]) << fastest;
  }
}

TEST_P(Forecast, HasTheSameBitsForAnyParts)
{
  const Atoms atoms(777);
  const PathForecast whole = atoms.forecast(0, 777);
  for (const int size : {1, 16, 99}) {
    PathForecast sum;
    for (int first = 0; first < 777; first += size)
      sum.add(atoms.forecast(first, std::min(size, 777 - first)));
    EXPECT_EQ(sum.farthest, whole.farthest) << size;
    EXPECT_EQ(sum.change, whole.change) << size;
    EXPECT_EQ(sum.gain, whole.gain) << size;
  }
}

TEST_P(Forecast, PositionsThatAreNotNumbersCountForNothing)
{
  for (const int wrong : {0, 3, 50, 99}) {
    Atoms atoms(100, 5), without = atoms;
    atoms.now[3 * wrong + 1] = NAN;
    const int other = wrong ? 0 : 1;    // in place of it: the same as another one
    for (auto *x :
         {&without.hold, &without.before3, &without.before2, &without.before1, &without.now})
      std::copy_n(x->begin() + 3 * other, 3, x->begin() + 3 * wrong);
    const PathForecast found = atoms.forecast(0, 100), wanted = without.forecast(0, 100);
    EXPECT_EQ(found.farthest, wanted.farthest);
    EXPECT_EQ(found.change, wanted.change);
  }
}

INSTANTIATE_FOR_INSTRUCTION_SETS(Forecast);

}    // namespace
