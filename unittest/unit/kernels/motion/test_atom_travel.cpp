// SPDX-License-Identifier: GPL-2.0-only
//
// The largest square of a distance is that of a loop over atoms.

#include "kernels/motion/atom_travel.h"

#include "unit/kernels/simd/instruction_sets.h"

#include <cstddef>
#include <random>
#include <vector>

using namespace TOFU_NS;

namespace {

struct Atoms {
  std::vector<double> hold, now;

  Atoms(int natoms, double spread, unsigned seed)
  {
    std::mt19937 random(seed);
    std::normal_distribution<double> gauss(0.0, 1.0);
    for (int k = 0; k < 3 * natoms; k++) {
      hold.push_back(10.0 * gauss(random));
      now.push_back(hold.back() + spread * gauss(random));
    }
  }

  double expected() const
  {
    double largest = 0.0;
    for (std::size_t k = 0; k < now.size(); k += 3) {
      const double x = now[k] - hold[k], y = now[k + 1] - hold[k + 1], z = now[k + 2] - hold[k + 2];
      largest = std::max(largest, x * x + y * y + z * z);
    }
    return largest;
  }

  double found() const
  {
    return largest_square(hold.data(), now.data(), static_cast<int>(now.size() / 3));
  }
};

class LargestSquare : public TOFU_TEST::WithInstructionSet {};

TEST_P(LargestSquare, IsThatOfALoopOverAtoms)
{
  unsigned seed = 1;
  for (const int natoms : {0, 1, 2, 63, 64, 65, 1000})
    for (const double spread : {0.0, 1e-6, 0.05, 0.2}) {
      const Atoms atoms(natoms, spread, seed++);
      EXPECT_DOUBLE_EQ(atoms.found(), atoms.expected()) << natoms << " " << spread;
    }
}

TEST_P(LargestSquare, HasTheBitsOfALoopOverAtomsWhereverTheAtomIs)
{
  for (const int natoms : {1, 2, 3, 5, 8, 9, 17, 64}) {
    Atoms atoms(natoms, 0.01, 7);
    for (int far = 0; far < natoms; far++) {
      const double there = atoms.now[3 * far + far % 3];
      atoms.now[3 * far + far % 3] += 0.3;
      EXPECT_EQ(atoms.found(), atoms.expected()) << natoms << " " << far;
      atoms.now[3 * far + far % 3] = there;
    }
  }
}

TEST_P(LargestSquare, LeavesOutWhatIsNoNumber)
{
  for (const int natoms : {1, 8, 19}) {
    Atoms atoms(natoms, 0.01, 8);
    for (int broken = 0; broken < natoms; broken++) {
      const double there = atoms.now[3 * broken];
      atoms.now[3 * broken] = NAN;
      EXPECT_EQ(atoms.found(), atoms.expected());
      atoms.now[3 * broken] = there;
    }
  }
}

INSTANTIATE_FOR_INSTRUCTION_SETS(LargestSquare);

}    // namespace
