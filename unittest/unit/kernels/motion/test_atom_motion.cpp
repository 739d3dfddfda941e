// SPDX-License-Identifier: GPL-2.0-only
//
// Integrators and gravity do to atoms of the group, and to no other, what a loop over them does.

#include "kernels/motion/atom_motion.h"

#include "unit/kernels/simd/instruction_sets.h"

#include <cstddef>

using namespace TOFU_NS;

namespace {

enum class Mass { OF_ATOMS, OF_TYPES, OF_ONE_TYPE };
enum class Members { ALL, SOME, NONE };

constexpr int GROUP = 4, OTHER = 1;
constexpr double FACTOR = 0.7, TIME = 0.05;

struct Atoms {
  std::vector<double> x, v, f, omega, torque, radius, masses, of_types{NAN, 1.5, 0.3, 4.0};
  std::vector<int> types, mask;
  Mass kind;

  Atoms(int natoms, Mass mass, Members members) : kind(mass)
  {
    std::mt19937 random(natoms);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int i = 0; i < natoms; i++) {
      const bool member = members == Members::ALL || (members == Members::SOME && i % 5 != 2);
      for (std::vector<double> *values : {&x, &v, &omega})
        for (int dim = 0; dim < 3; dim++) values->push_back(uniform(random));
      for (std::vector<double> *values : {&f, &torque})    // of others nothing may come from these
        for (int dim = 0; dim < 3; dim++) values->push_back(member ? uniform(random) : INFINITY);
      radius.push_back(1.0 + 0.5 * uniform(random));
      masses.push_back(2.0 + uniform(random));
      types.push_back(mass == Mass::OF_ONE_TYPE ? 1 : 1 + i % 3);
      mask.push_back(member ? OTHER | GROUP : OTHER);
    }
  }

  int size() const { return static_cast<int>(mask.size()); }
  AtomMasses all() const
  {
    return {size(),
            kind == Mass::OF_ATOMS ? masses.data() : nullptr,
            of_types.data(),
            types.data(),
            kind == Mass::OF_ONE_TYPE,
            mask.data(),
            GROUP};
  }
  double mass(int i) const { return kind == Mass::OF_ATOMS ? masses[i] : of_types[types[i]]; }

  /** change(atom, coordinate) for the group. */
  void for_members(const std::function<void(int, std::size_t)> &change) const
  {
    for (int i = 0; i < size(); i++)
      for (std::size_t k = 3 * std::size_t(i); (mask[i] & GROUP) && k < 3 * std::size_t(i) + 3; k++)
        change(i, k);
  }
};

void expect_same(const std::vector<double> &found, const std::vector<double> &wanted)
{
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t k = 0; k < found.size(); k++) {
    if (std::isfinite(wanted[k]))
      EXPECT_NEAR(found[k], wanted[k], 1e-15 * (1.0 + std::fabs(wanted[k]))) << k;
    else
      EXPECT_EQ(found[k], wanted[k]) << k;
  }
}

class AtomMotion : public TOFU_TEST::WithInstructionSet {
 protected:
  static void for_systems(const std::function<void(const Atoms &)> &test)
  {
    for (const int natoms : {0, 1, 2, 3, 4, 7, 8, 9, 16, 63, 64})
      for (const Mass mass : {Mass::OF_ATOMS, Mass::OF_TYPES, Mass::OF_ONE_TYPE})
        for (const Members members : {Members::ALL, Members::SOME, Members::NONE}) {
          SCOPED_TRACE(testing::Message() << natoms << " atoms, masses " << static_cast<int>(mass)
                                          << ", members " << static_cast<int>(members));
          test(Atoms(natoms, mass, members));
        }
  }
};

TEST_P(AtomMotion, KicksAndMovesTheGroupAndNoOtherAtom)
{
  for (const bool kicks : {true, false})
    for (const bool moves : {true, false}) {
      if (!kicks && !moves) continue;
      for_systems([&](const Atoms &atoms) {
        Atoms wanted = atoms, found = atoms;
        wanted.for_members([&](int i, std::size_t k) {
          if (kicks) wanted.v[k] += FACTOR / wanted.mass(i) * wanted.f[k];
          if (moves) wanted.x[k] += TIME * wanted.v[k];
        });
        kick_and_move_atoms(found.all(), FACTOR, kicks ? found.f.data() : nullptr, found.v.data(),
                            TIME, moves ? found.x.data() : nullptr);
        expect_same(found.v, wanted.v);
        expect_same(found.x, wanted.x);
      });
    }
}

TEST_P(AtomMotion, TurnsTheGroupAndNoOtherAtom)
{
  for_systems([&](const Atoms &atoms) {
    Atoms wanted = atoms, found = atoms;
    wanted.for_members([&](int i, std::size_t k) {
      const double inertia = wanted.radius[i] * wanted.radius[i] * wanted.mass(i);
      wanted.omega[k] += FACTOR / inertia * wanted.torque[k];
    });
    turn_atoms(found.all(), FACTOR, found.radius.data(), found.torque.data(), found.omega.data());
    expect_same(found.omega, wanted.omega);
  });
}

TEST_P(AtomMotion, PullsTheGroupAndReturnsItsEnergy)
{
  const double acceleration[3] = {0.5, -0.25, -1.0};
  for_systems([&](const Atoms &atoms) {
    Atoms wanted = atoms, found = atoms;
    double energy = 0.0;
    wanted.for_members([&](int i, std::size_t k) {
      wanted.f[k] += wanted.mass(i) * acceleration[k % 3];
      energy += wanted.mass(i) * acceleration[k % 3] * wanted.x[k];
    });
    EXPECT_NEAR(pull_atoms(found.all(), acceleration, found.x.data(), found.f.data()), energy,
                1e-13 * (1.0 + atoms.size()));
    expect_same(found.f, wanted.f);
  });
}

TEST_P(AtomMotion, KicksAtomsInNoGroupIfAllAreChanged)
{
  for_systems([&](const Atoms &atoms) {
    Atoms found = atoms;
    std::fill(found.f.begin(), found.f.end(), 0.5);
    AtomMasses all = found.all();
    all.mask = nullptr;
    kick_and_move_atoms(all, FACTOR, found.f.data(), found.v.data(), 0.0, nullptr);
    for (int k = 0; k < 3 * atoms.size(); k++)
      EXPECT_NEAR(found.v[k], atoms.v[k] + FACTOR / atoms.mass(k / 3) * 0.5, 1e-14) << k;
  });
}

TEST_P(AtomMotion, PartsHaveTheMassesOfTheirAtoms)
{
  for (const Mass mass : {Mass::OF_ATOMS, Mass::OF_TYPES, Mass::OF_ONE_TYPE}) {
    const Atoms atoms(20, mass, Members::SOME);
    const AtomMasses all = atoms.all(), some = all.part(3, 9);
    EXPECT_EQ(some.natoms, 6);
    EXPECT_EQ(some.of_atoms, all.of_atoms ? all.of_atoms + 3 : nullptr);
    EXPECT_EQ(some.of_types, all.of_types);
    EXPECT_EQ(some.types, all.types + 3);
    EXPECT_EQ(some.one_type, all.one_type);
    EXPECT_EQ(some.mask, all.mask + 3);
    EXPECT_EQ(some.group, GROUP);
  }
}

TEST_P(AtomMotion, HasTheSameBitsForBlocksOfAnySize)
{
  const Atoms atoms(61, Mass::OF_ATOMS, Members::SOME);
  Atoms whole = atoms;
  kick_and_move_atoms(whole.all(), FACTOR, whole.f.data(), whole.v.data(), TIME, whole.x.data());
  for (const int size : {1, 13, 16}) {
    Atoms found = atoms;
    for (int first = 0; first < atoms.size(); first += size) {
      const AtomMasses some = found.all().part(first, std::min(first + size, atoms.size()));
      const std::size_t at = std::size_t{3} * first;
      kick_and_move_atoms(some, FACTOR, found.f.data() + at, found.v.data() + at, TIME,
                          found.x.data() + at);
    }
    EXPECT_EQ(found.x, whole.x);
    EXPECT_EQ(found.v, whole.v);
  }
}

INSTANTIATE_FOR_INSTRUCTION_SETS(AtomMotion);

}    // namespace
