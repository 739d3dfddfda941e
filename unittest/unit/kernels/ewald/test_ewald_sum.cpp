// SPDX-License-Identifier: GPL-2.0-only
//
// Sums over wave vectors: those of a direct sum in long double, with all instruction sets, for
// boxes of three edges and triclinic ones; the same bits for any number of parts.

#include "unit/kernels/simd/instruction_sets.h"

#include "kernels/ewald/ewald_sum.h"

#include <algorithm>
#include <cmath>
#include <complex>

using namespace TOFU_NS;

namespace {

using Wide = long double;

/** Charges and wave vectors. */
struct System {
  double unit[3][3] = {};           // 1/distance
  std::vector<double> x, charge;    // [natoms][3], [natoms]
  std::vector<int> k, l, m;         // wave vectors
  std::vector<double> weight;

  int natoms() const { return static_cast<int>(charge.size()); }
  int nvectors() const { return static_cast<int>(k.size()); }
};

struct Results {
  std::vector<double> factors, potential, force;    // [nvectors][2], [natoms], [natoms][3]
};

Parts parts_of(int n)
{
  return {n, [](int nparts, const Parts::Work &work) {
            for (int part = nparts - 1; part >= 0; part--) work(part);
          }};
}

/** Half of the vectors in an ellipsoid, in LAMMPS' order or in another.

    \param tilted   a triclinic box, in which weights depend on the signs of l and m */
System random_system(int natoms, bool tilted, const int (&most)[3], double origin = 0.0)
{
  System system;
  std::mt19937 random(natoms + 7 * most[2]);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const double edges[3] = {9.0, 11.0, 13.0};
  for (int dim = 0; dim < 3; dim++) system.unit[dim][dim] = 2.0 * M_PI / edges[dim];
  if (tilted) {
    system.unit[0][1] = 0.21;
    system.unit[0][2] = -0.13;
    system.unit[1][2] = 0.17;
  }
  for (int i = 0; i < 3 * natoms; i++) system.x.push_back(origin + 13.0 * uniform(random));
  for (int i = 0; i < natoms; i++) system.charge.push_back(uniform(random));
  for (int k = 0; k <= most[0]; k++)
    for (int l = -most[1]; l <= most[1]; l++)
      for (int m = -most[2]; m <= most[2]; m++) {
        if (k == 0 && (l < 0 || (l == 0 && m <= 0))) continue;
        const double shift = tilted ? 0.3 * l - 0.2 * k : 0.0;
        const double parts[3] = {k / (most[0] + 0.1), l / (most[1] + 0.1),
                                 (m + shift) / (most[2] + 0.1)};
        const double square = parts[0] * parts[0] + parts[1] * parts[1] + parts[2] * parts[2];
        if (square > 1.0) continue;
        system.k.push_back(k);
        system.l.push_back(l);
        system.m.push_back(m);
        system.weight.push_back(std::exp(-2.0 * square) / square);
      }
  return system;
}

/** Phase of a vector at an atom, exact for x and unit vectors as they are. */
Wide phase(const System &s, int n, int i)
{
  const Wide of[3] = {Wide(s.k[n]), Wide(s.l[n]), Wide(s.m[n])};
  Wide sum = 0.0L;
  for (int dim = 0; dim < 3; dim++) {
    const double *const u = s.unit[dim], *const at = &s.x[3 * i];
    sum += of[dim] * (Wide(u[0]) * at[0] + Wide(u[1]) * at[1] + Wide(u[2]) * at[2]);
  }
  return sum;
}

/** Direct sums. */
Results expected(const System &s)
{
  Results results;
  const int natoms = s.natoms();
  std::vector<Wide> potential(natoms, 0.0L), force(3 * natoms, 0.0L);
  for (int n = 0; n < s.nvectors(); n++) {
    std::complex<Wide> factor = 0.0L;
    for (int i = 0; i < natoms; i++) factor += Wide(s.charge[i]) * std::polar(1.0L, phase(s, n, i));
    results.factors.push_back(static_cast<double>(factor.real()));
    results.factors.push_back(static_cast<double>(factor.imag()));
    for (int i = 0; i < natoms; i++) {
      const std::complex<Wide> wave =
          Wide(s.weight[n]) * std::conj(factor) * std::polar(1.0L, phase(s, n, i));
      potential[i] += wave.real();
      for (int dim = 0; dim < 3; dim++) {
        const Wide direction = Wide(s.k[n]) * s.unit[0][dim] + Wide(s.l[n]) * s.unit[1][dim] +
            Wide(s.m[n]) * s.unit[2][dim];
        force[3 * i + dim] += 2.0L * s.charge[i] * direction * wave.imag();
      }
    }
  }
  for (Wide v : potential) results.potential.push_back(static_cast<double>(v));
  for (Wide v : force) results.force.push_back(static_cast<double>(v));
  return results;
}

/** By the kernels; sums travel in a message, as to other ranks. */
Results found(const System &s, int nparts = 1)
{
  EwaldSum ewald;
  const Parts parts = parts_of(nparts);
  ewald.set_vectors(s.nvectors(), s.k.data(), s.l.data(), s.m.data());
  ewald.set_weights(s.weight.data());
  ewald.set_atoms(s.natoms(), s.x.data(), s.unit, parts);
  std::vector<double> mine(ewald.nsums()), message(ewald.nvalues());
  ewald.sum_charges(s.charge.data(), parts, mine.data());
  ewald.pack(mine.data(), message.data());
  std::vector<double> sums(ewald.nsums(), 0.0);
  ewald.unpack(message.data(), sums.data());
  ewald.set_sums(sums.data());

  Results results;
  results.factors.resize(2 * s.nvectors());
  results.potential.resize(s.natoms() + 1, 0.25);
  results.force.resize(3 * s.natoms() + 1, 0.0);
  results.force.back() = results.potential.back() = 0.25;
  ewald.structure_factors(sums.data(), results.factors.data());
  ewald.potentials(parts, results.potential.data());
  ewald.add_forces(s.charge.data(), s.unit, {1.0, 1.0, 1.0}, parts, results.force.data());
  EXPECT_EQ(results.potential.back(), 0.25) << "nothing behind the last atom";
  EXPECT_EQ(results.force.back(), 0.25);
  results.potential.pop_back();
  results.force.pop_back();
  return results;
}

/** Difference relative to the largest value, or to 1 where all vanish, as the force on one atom. */
double difference(const std::vector<double> &exact, const std::vector<double> &values)
{
  EXPECT_EQ(exact.size(), values.size());
  double largest = 1.0, worst = 0.0;
  for (std::size_t i = 0; i < exact.size(); i++) {
    largest = std::max(largest, std::fabs(exact[i]));
    worst = std::max(worst, std::fabs(exact[i] - values[i]));
  }
  return worst / largest;
}

void expect_near(const System &system, double tolerance)
{
  const Results exact = expected(system), mine = found(system);
  EXPECT_LT(difference(exact.factors, mine.factors), tolerance);
  EXPECT_LT(difference(exact.potential, mine.potential), tolerance);
  EXPECT_LT(difference(exact.force, mine.force), tolerance);
}

}    // namespace

TEST(EwaldSum, IsTheDirectSumWithAllInstructionSets)
{
  TOFU_TEST::for_each_instruction_set([&] {
    for (bool tilted : {false, true})
      for (int natoms : {0, 1, 7, 16, 50}) {
        SCOPED_TRACE(std::to_string(natoms) + (tilted ? " tilted" : ""));
        expect_near(random_system(natoms, tilted, {3, 4, 5}), 2e-13);
      }
  });
}

TEST(EwaldSum, HasAnyNumberOfVectorsAlongEachDimension)
{
  for (bool tilted : {false, true}) {
    expect_near(random_system(20, tilted, {0, 0, 4}), 2e-13);
    expect_near(random_system(20, tilted, {0, 3, 0}), 2e-13);
    expect_near(random_system(20, tilted, {3, 0, 0}), 2e-13);
    expect_near(random_system(20, tilted, {1, 1, 12}), 2e-13);
    expect_near(random_system(20, tilted, {0, 0, 0}), 2e-13);
  }
}

TEST(EwaldSum, HasAtomsOfSeveralBlocks)
{
  expect_near(random_system(1100, false, {2, 1, 3}), 2e-13);
}

TEST(EwaldSum, HasWeightsThatDependOnSigns)
{
  System system = random_system(30, false, {2, 3, 4});
  std::mt19937 random(1);
  for (double &weight : system.weight)
    weight *= std::uniform_real_distribution<double>(-1.0, 1.0)(random);
  expect_near(system, 2e-13);
}

TEST(EwaldSum, IsExactFarFromTheOrigin)
{
  TOFU_TEST::for_each_instruction_set([&] {
    expect_near(random_system(20, false, {2, 2, 2}, 1e3), 2e-11);
    expect_near(random_system(20, false, {2, 2, 2}, 1e6), 2e-8);    // of x, 1e-10 of a box
  });
}

TEST(EwaldSum, HasTheSameBitsForAnyNumberOfParts)
{
  for (bool tilted : {false, true}) {
    const System system = random_system(530, tilted, {4, 4, 4});
    const Results one = found(system);
    for (int nparts : {2, 3, 8}) {
      const Results many = found(system, nparts);
      EXPECT_EQ(one.factors, many.factors);
      EXPECT_EQ(one.potential, many.potential);
      EXPECT_EQ(one.force, many.force);
    }
  }
}

TEST(EwaldSum, ForgetsFormerVectorsAndAtoms)
{
  EwaldSum ewald;
  for (const System &s : {random_system(40, true, {4, 2, 3}), random_system(9, false, {1, 3, 2})}) {
    ewald.set_vectors(s.nvectors(), s.k.data(), s.l.data(), s.m.data());
    ewald.set_weights(s.weight.data());
    ewald.set_atoms(s.natoms(), s.x.data(), s.unit, Parts());
    std::vector<double> sums(ewald.nsums(), 1e300), force(3 * s.natoms(), 0.0);
    ewald.sum_charges(s.charge.data(), Parts(), sums.data());
    ewald.set_sums(sums.data());
    ewald.add_forces(s.charge.data(), s.unit, {1.0, 1.0, 1.0}, Parts(), force.data());
    EXPECT_EQ(force, found(s).force);
  }
  EXPECT_GT(ewald.nbytes(), 0.0);
}
