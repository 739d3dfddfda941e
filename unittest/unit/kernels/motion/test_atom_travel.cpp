// SPDX-License-Identifier: GPL-2.0-only
//
// Distances and steps to the limit are those of a loop over atoms with square roots.

#include "kernels/motion/atom_travel.h"

#include "unit/kernels/simd/instruction_sets.h"

#include <cstddef>

using namespace TOFU_NS;

namespace {

struct Atoms {
  std::vector<double> hold, before, now;

  Atoms(int natoms, double spread, double speed, unsigned seed)
  {
    std::mt19937 random(seed);
    std::normal_distribution<double> gauss(0.0, 1.0);
    for (int k = 0; k < 3 * natoms; k++) {
      hold.push_back(10.0 * gauss(random));
      before.push_back(hold.back() + spread * gauss(random));
      now.push_back(before.back() + speed * gauss(random));
    }
  }

  int size() const { return static_cast<int>(now.size() / 3); }
  AtomPaths paths(int first = 0) const
  {
    return {hold.data() + 3 * first, before.data() + 3 * first, now.data() + 3 * first};
  }
};

double square(const double *a, const double *b)
{
  const double x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
  return x * x + y * y + z * z;
}

AtomTravel expected(const Atoms &atoms, double limit, double closer, double most)
{
  AtomTravel travel(most);
  for (std::size_t k = 0; k < atoms.now.size(); k += 3) {
    const double moved = square(&atoms.hold[k], &atoms.now[k]),
                 last = square(&atoms.before[k], &atoms.now[k]);
    travel.largest = std::max(travel.largest, moved);
    travel.fastest = std::max(travel.fastest, last);
    const double left = (limit - std::sqrt(moved)) / (std::sqrt(last) + closer);
    if (left < travel.steps_at_current_speed) travel.steps_at_current_speed = std::max(left, 0.0);
  }
  return travel;
}

TEST(AtomTravel, IsThatOfALoopWithSquareRoots)
{
  unsigned seed = 1;
  for (const int natoms : {0, 1, 2, 63, 64, 65, 1000})
    for (const double spread : {0.0, 0.01, 0.05, 0.2})
      for (const double speed : {0.0, 1e-6, 0.003, 0.02})
        for (const double closer : {0.0, 0.001}) {
          const Atoms atoms(natoms, spread, speed, seed++);
          const auto wanted = expected(atoms, 0.15, closer, 150.0);
          AtomTravel found(150.0);
          add_travel(atoms.paths(), natoms, 0.15, closer, found);
          EXPECT_DOUBLE_EQ(found.largest, wanted.largest);
          EXPECT_DOUBLE_EQ(found.fastest, wanted.fastest);
          EXPECT_NEAR(found.steps_at_current_speed, wanted.steps_at_current_speed,
                      1e-12 * (1.0 + wanted.steps_at_current_speed));
          EXPECT_DOUBLE_EQ(largest_square(atoms.hold.data(), atoms.now.data(), natoms),
                           wanted.largest);
        }
}

TEST(AtomTravel, HasTheSameBitsForAnyParts)
{
  const Atoms atoms(777, 0.04, 0.004, 99);
  AtomTravel whole(150.0);
  add_travel(atoms.paths(), atoms.size(), 0.2, 0.0, whole);
  for (const int size : {1, 16, 100}) {
    AtomTravel sum(150.0);
    for (int first = 0; first < atoms.size(); first += size) {
      AtomTravel part(150.0);
      add_travel(atoms.paths(first), std::min(size, atoms.size() - first), 0.2, 0.0, part);
      sum.add(part);
    }
    EXPECT_EQ(sum.largest, whole.largest);
    EXPECT_EQ(sum.fastest, whole.fastest);
    EXPECT_EQ(sum.steps_at_current_speed, whole.steps_at_current_speed);
  }
}

TEST(AtomTravel, PositionsThatAreNotNumbersCountForNothing)
{
  Atoms atoms(100, 0.01, 0.001, 5);
  AtomTravel before(150.0), found(150.0);
  add_travel(atoms.paths(), 99, 0.15, 0.0, before);
  atoms.now[3 * 99] = NAN;
  add_travel(atoms.paths(), 100, 0.15, 0.0, found);
  EXPECT_EQ(found.largest, before.largest);
  EXPECT_EQ(found.steps_at_current_speed, before.steps_at_current_speed);
}

TEST(AtomTravel, AnAtomBeyondTheLimitHasNoStepsLeft)
{
  Atoms atoms(10, 0.0, 0.0, 5);
  atoms.now[4] += 1.0;
  AtomTravel found(150.0);
  add_travel(atoms.paths(), 10, 0.15, 0.0, found);
  EXPECT_DOUBLE_EQ(found.largest, 1.0);
  EXPECT_EQ(found.steps_at_current_speed, 0.0);
}

class LargestSquare : public TOFU_TEST::WithInstructionSet {};

TEST_P(LargestSquare, HasTheBitsOfALoopOverAtomsWhereverTheAtomIs)
{
  for (const int natoms : {1, 2, 3, 5, 8, 9, 17, 64}) {
    Atoms atoms(natoms, 0.01, 0.001, 7);
    for (int far = 0; far < natoms; far++) {
      const double there = atoms.now[3 * far + far % 3];
      atoms.now[3 * far + far % 3] += 0.3;
      EXPECT_EQ(largest_square(atoms.hold.data(), atoms.now.data(), natoms),
                expected(atoms, 0.15, 0.0, 150.0).largest)
          << natoms << " " << far;
      atoms.now[3 * far + far % 3] = there;
    }
  }
}

TEST_P(LargestSquare, LeavesOutWhatIsNoNumber)
{
  for (const int natoms : {1, 8, 19}) {
    Atoms atoms(natoms, 0.01, 0.001, 8);
    for (int broken = 0; broken < natoms; broken++) {
      const double there = atoms.now[3 * broken];
      atoms.now[3 * broken] = NAN;
      EXPECT_EQ(largest_square(atoms.hold.data(), atoms.now.data(), natoms),
                expected(atoms, 0.15, 0.0, 150.0).largest);
      atoms.now[3 * broken] = there;
    }
  }
}

INSTANTIATE_FOR_INSTRUCTION_SETS(LargestSquare);

}    // namespace
