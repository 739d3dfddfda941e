// SPDX-License-Identifier: GPL-2.0-only
//
// Forces of charges on themselves: those of plain formulas, for any number of atoms.

#include "unit/kernels/simd/instruction_sets.h"

#include "kernels/mesh/self_forces.h"

using namespace TOFU_NS;

TEST(SelfForces, AreTwoSinesInEachDimensionWithAllInstructionSets)
{
  SelfForces self;
  std::mt19937 random(4711);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int dim = 0; dim < 3; dim++) self.delinv[dim] = 0.7 + 0.2 * dim;
  for (double &c : self.coeff) c = uniform(random);
  TOFU_TEST::for_each_instruction_set([&] {
    for (int natoms : {0, 1, 2, 3, 7, 8, 9, 16, 37}) {
      SCOPED_TRACE(std::to_string(natoms));
      std::vector<double> x(3 * natoms), q(natoms), field(3 * natoms + 1, 0.25);
      for (double &place : x) place = 200.0 * uniform(random);
      for (double &charge : q) charge = uniform(random);
      subtract_self_forces(self, x.data(), q.data(), natoms, field.data());
      for (int k = 0; k < 3 * natoms; k++) {
        const int dim = k % 3;
        const double s = 2.0 * M_PI * x[k] * self.delinv[dim];
        const double force = 2.0 * q[k / 3] *
            (self.coeff[2 * dim] * std::sin(s) + self.coeff[2 * dim + 1] * std::sin(2.0 * s));
        EXPECT_NEAR(field[k], 0.25 - force, 1e-12);
      }
      EXPECT_EQ(field[3 * natoms], 0.25) << "nothing behind the last atom";
    }
  });
}
