// SPDX-License-Identifier: GPL-2.0-only
//
// Forces, energies and virials of atoms that several parts add to, against sums in turn.

#include "pool/part_forces.h"
#include "unit/base/part_threads.h"
#include "unit/testing.h"

using namespace TOFU_NS;

namespace {

/** Arrays of atoms as LAMMPS has them. */
struct Arrays {
  explicit Arrays(int natoms) : numbers(3 * natoms, 1.0), energies(natoms, 2.0), virials(natoms)
  {
    for (int i = 0; i < natoms; i++) f.push_back(&numbers[3 * static_cast<std::size_t>(i)]);
    for (auto &virial : virials) virial.fill(3.0);
  }

  PartForces::Targets targets(bool all)
  {
    if (!all) return {f.data(), nullptr, nullptr};
    return {f.data(), energies.data(), reinterpret_cast<double(*)[6]>(virials.data())};
  }

  std::vector<double> numbers, energies;
  std::vector<std::array<double, 6>> virials;
  std::vector<double *> f;
};

/** Exact in any order. */
double value(int part, int atom, int k)
{
  return 64.0 * part + atom + 0.125 * k;
}

/** Each part reaches some atoms, neighboring parts some of the same. */
bool reaches(int part, int nparts, int atom, int natoms)
{
  const int width = natoms / nparts;
  return atom >= part * width - 20 && atom < (part + 1) * width + 20;
}

}    // namespace

TEST(PartForces, AreAddedToThoseOfAllAtoms)
{
  constexpr int NATOMS = 200, NFORCES = 150, STEPS = 3;
  for (int nparts : {2, 3, 5}) {
    PartReach reach;
    reach.resize(nparts, NATOMS + 1);
    for (int part = 0; part < nparts; part++)
      for (int i = 0; i < NATOMS; i++)
        if (reaches(part, nparts, i, NATOMS)) reach.add(part, i);
    reach.deal();
    const Parts parts = TOFU_TEST::part_threads(nparts);
    PartForces sums;
    for (int step = 0; step < STEPS; step++) {
      const bool all = step != 1;    // energies of the step before must not come back
      Arrays found(NATOMS), expected(NATOMS);
      sums.resize(nparts);
      parts.run([&](int part) {
        double *const f = sums.take_forces(reach, part);
        double *const e = all ? sums.take_energies(reach, part) : nullptr;
        double(*const v)[6] = all ? sums.take_virials(reach, part) : nullptr;
        for (int i = 0; i < NATOMS; i++) {
          if (!reaches(part, nparts, i, NATOMS)) continue;
          for (int k = 0; k < 3; k++) f[4 * i + k] += value(part, i, k);
          if (e) e[i] += value(part, i, 3);
          for (int k = 0; v && k < 6; k++) v[i][k] += value(part, i, k);
        }
      });
      sums.add(parts, reach, NFORCES, NATOMS, found.targets(all));
      for (int part = 0; part < nparts; part++)
        for (int i = 0; i < NATOMS; i++) {
          if (!reaches(part, nparts, i, NATOMS)) continue;
          for (int k = 0; k < 3 && i < NFORCES; k++) expected.f[i][k] += value(part, i, k);
          if (all) expected.energies[i] += value(part, i, 3);
          for (int k = 0; all && k < 6; k++) expected.virials[i][k] += value(part, i, k);
        }
      EXPECT_EQ(found.numbers, expected.numbers) << nparts << " parts, step " << step;
      EXPECT_EQ(found.energies, expected.energies) << nparts << " parts, step " << step;
      EXPECT_EQ(found.virials, expected.virials) << nparts << " parts, step " << step;
    }
  }
}

TEST(PartForces, OfOnePartAreZeroAgainInTheNextStep)
{
  constexpr int NATOMS = 50, NFORCES = 30;
  PartForces sums;
  for (int step = 0; step < 3; step++) {
    double *const rows = sums.take_forces_of_one(NATOMS + 1);
    for (int k = 0; k < 4 * (NATOMS + 1); k++) {
      ASSERT_EQ(rows[k], 0.0) << "number " << k << ", step " << step;
      rows[k] = k;
    }
    Arrays found(NATOMS);
    sums.add_forces_of_one(NFORCES, NATOMS + 1, found.f.data());
    for (int i = 0; i < NATOMS; i++)
      for (int k = 0; k < 3; k++) EXPECT_EQ(found.f[i][k], i < NFORCES ? 1.0 + 4 * i + k : 1.0);
  }
}
