// SPDX-License-Identifier: GPL-2.0-only
//
// Results of a mesh on atoms, with charges at atoms and at the sites of waters.

#include "unit/testing.h"

#include "mesh/charge_results.h"

using namespace TOFU_NS;

namespace {

constexpr double QSCALE = 332.0, ALPHA = 0.4;
constexpr int NATOMS = 5, NALL = 7;    // the last two are ghosts

/** Waters of atoms 0, 1, 2 and of 3, 4 with ghost 6. */
class ChargeResultsTest : public testing::Test {
 protected:
  ChargeResultsTest()
  {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    for (auto *values : {&q, &field, &potential, &virial})
      for (double &one : *values) one = number(random);
    sites.waters = {{0, {1, 2}}, {3, {4, 6}}};
    sites.alpha = ALPHA;
  }

  ChargeResults results(const SiteCharges *at) const
  {
    return {mesh, NATOMS, q.data(), QSCALE, at};
  }

  std::vector<double> q = std::vector<double>(NATOMS), field = std::vector<double>(3 * NATOMS),
                      potential = std::vector<double>(NATOMS),
                      virial = std::vector<double>(6 * NATOMS);
  MeshResults mesh{field.data(), potential.data(), virial.data()};
  SiteCharges sites;
};

double sum_of(const std::vector<double> &values, int n, int k)
{
  double sum = 0.0;
  for (std::size_t i = k; i < values.size(); i += n) sum += values[i];
  return sum;
}

TEST_F(ChargeResultsTest, AddsForcesOfFields)
{
  std::vector<double> f(3 * NALL, 1.0);
  results(nullptr).add_forces(f.data(), true);
  for (int i = 0; i < NATOMS; i++)
    for (int dim = 0; dim < 3; dim++)
      EXPECT_DOUBLE_EQ(f[3 * i + dim], 1.0 + QSCALE * q[i] * field[3 * i + dim]);
  for (int i = 3 * NATOMS; i < 3 * NALL; i++) EXPECT_EQ(f[i], 1.0);
}

TEST_F(ChargeResultsTest, LeavesOutForcesAlongZOfASlab)
{
  std::vector<double> f(3 * NALL, 0.0);
  results(&sites).add_forces(f.data(), false);
  for (int i = 0; i < NALL; i++) EXPECT_EQ(f[3 * i + 2], 0.0);
  EXPECT_NE(f[0], 0.0);
}

TEST_F(ChargeResultsTest, SharesForcesOfSitesAmongTheAtomsOfAWater)
{
  std::vector<double> f(3 * NALL, 0.0);
  results(&sites).add_forces(f.data(), true);
  for (const Water &water : sites.waters)
    for (int dim = 0; dim < 3; dim++) {
      const double force = QSCALE * q[water.oxygen] * field[3 * water.oxygen + dim];
      EXPECT_NEAR(f[3 * water.oxygen + dim], (1.0 - ALPHA) * force, 1e-10);
      for (int hydrogen : water.hydrogens) {
        const double own = hydrogen < NATOMS ? QSCALE * q[hydrogen] * field[3 * hydrogen + dim]
                                             : 0.0;
        EXPECT_NEAR(f[3 * hydrogen + dim], own + 0.5 * ALPHA * force, 1e-10);
      }
    }
}

TEST_F(ChargeResultsTest, KeepsSumsWhenItSharesThem)
{
  std::vector<double> f[2], energy[2], v[2];
  for (int k : {0, 1}) {
    f[k].assign(3 * NALL, 0.0);
    energy[k].assign(NALL, 0.0);
    v[k].assign(6 * NALL, 0.0);
    const ChargeResults added = results(k ? &sites : nullptr);
    added.add_forces(f[k].data(), true);
    added.add_energies(energy[k].data(), 0.3, 0.02);
    added.add_virials(v[k].data());
    EXPECT_NE(energy[k][0], 0.0);
  }
  for (int dim = 0; dim < 3; dim++) EXPECT_NEAR(sum_of(f[0], 3, dim), sum_of(f[1], 3, dim), 1e-9);
  for (int j = 0; j < 6; j++) EXPECT_NEAR(sum_of(v[0], 6, j), sum_of(v[1], 6, j), 1e-9);
  EXPECT_NEAR(sum_of(energy[0], 1, 0), sum_of(energy[1], 1, 0), 1e-9);
  EXPECT_NE(energy[0][0], energy[1][0]);
}

TEST_F(ChargeResultsTest, SubtractsEnergiesOfChargesWithThemselvesAndWithTheUniformOne)
{
  std::vector<double> energy(NALL, 0.0);
  results(nullptr).add_energies(energy.data(), 0.3, 0.02);
  for (int i = 0; i < NATOMS; i++)
    EXPECT_DOUBLE_EQ(energy[i], QSCALE * q[i] * (0.5 * potential[i] - 0.3 * q[i] - 0.02));
}

}    // namespace
