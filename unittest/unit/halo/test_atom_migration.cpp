// SPDX-License-Identifier: GPL-2.0-only
//
// Atoms of ranks in a row, of which each owns an interval of x; an atom is its place and its name.

#include "rank_threads.h"
#include "unit/base/part_threads.h"

#include "halo/messages/atom_migration.h"

using namespace TOFU_TEST;

namespace {

constexpr int NRANKS = 4, NATOMS = 5000;

struct Atoms {
  std::vector<double> x;    // [natoms][3] the second number is a name
  int natoms = 0;

  void add(double place, double name)
  {
    x.resize(3 * natoms);
    x.insert(x.end(), {place, name, 0.0});
    natoms++;
  }
};

int owner_of(const double *x)
{
  const int rank = static_cast<int>(std::floor(x[0]));
  return rank >= 0 && rank < NRANKS ? rank : AtomMigration::NO_RANK;
}

Atoms random_atoms(int rank, double lo, double hi)
{
  std::mt19937 random(17 + rank);
  std::uniform_real_distribution<double> uniform(lo, hi);
  Atoms atoms;
  for (int i = 0; i < NATOMS; i++) atoms.add(uniform(random), NATOMS * rank + i);
  return atoms;
}

/** What a rank does in an exchange. */
void migrate(AtomMigration &migration, Transport &transport, int rank, Atoms &atoms)
{
  atoms.natoms = migration.pack(
      rank, atoms.natoms, transport,
      [&](int i, std::vector<double> &values) {
        values.insert(values.end(), atoms.x.begin() + 3 * i, atoms.x.begin() + 3 * i + 2);
      },
      [&](int from, int to) {
        std::copy_n(atoms.x.begin() + 3 * from, 3, atoms.x.begin() + 3 * to);
      });
  migration.swap(transport, [&](const double *values) {
    atoms.add(values[0], values[1]);
    return 2;
  });
}

void find(AtomMigration &migration, int rank, const Atoms &atoms, const Parts &parts = Parts())
{
  const double lo[1] = {static_cast<double>(rank)}, hi[1] = {rank + 1.0};
  migration.find(rank, atoms.natoms, atoms.x.data(), {lo, hi, 1}, owner_of, parts);
}

void connect(Transport &transport, const std::vector<int> &peers)
{
  transport.connect(peers, std::vector<std::size_t>(peers.size(), Link::BLOCK));
}

}    // namespace

TEST(AtomMigrationTest, EveryAtomArrivesAtItsOwnerOrIsLostInAnOrderThatDoesNotDependOnParts)
{
  std::vector<std::vector<double>> expected(NRANKS);
  for (const int nparts : {1, 3}) {
    std::vector<double> nkept(NRANKS, 0.0);
    on_all_ranks(NRANKS, [&](const World &world) {
      Transport transport(world.bootstrap, nullptr, world.options());
      connect(transport, all_others(world.rank, NRANKS));
      Atoms atoms = random_atoms(world.rank, -0.5, NRANKS);
      AtomMigration migration;
      find(migration, world.rank, atoms, part_threads(nparts));
      EXPECT_EQ(migration.unlinked_destination(transport), AtomMigration::NO_RANK);
      migrate(migration, transport, world.rank, atoms);
      atoms.x.resize(3 * atoms.natoms);
      for (int i = 0; i < atoms.natoms; i++) EXPECT_EQ(owner_of(&atoms.x[3 * i]), world.rank);
      nkept[world.rank] = atoms.natoms;
      if (nparts == 1)
        expected[world.rank] = atoms.x;
      else
        EXPECT_EQ(atoms.x, expected[world.rank]);
    });
    int ninside = 0;
    for (int rank = 0; rank < NRANKS; rank++) {
      const Atoms atoms = random_atoms(rank, -0.5, NRANKS);
      for (int i = 0; i < atoms.natoms; i++)
        ninside += owner_of(&atoms.x[3 * i]) != AtomMigration::NO_RANK;
    }
    EXPECT_EQ(std::accumulate(nkept.begin(), nkept.end(), 0.0), ninside);
  }
}

TEST(AtomMigrationTest, AnAtomWhosePlaceIsNotANumberStays)
{
  Atoms atoms;
  atoms.add(NAN, 1.0);
  atoms.add(1.5, 2.0);
  AtomMigration migration;
  find(migration, 1, atoms);
  EXPECT_EQ(migration.destinations(), std::vector<int>({1, 1}));
}

TEST(AtomMigrationTest, ADestinationWithoutALinkIsFound)
{
  on_all_ranks(3, [&](const World &world) {    // a chain: the first and the last are not linked
    Transport transport(world.bootstrap, nullptr, world.options());
    connect(transport, world.rank == 1 ? std::vector<int>{0, 2} : std::vector<int>{1});
    Atoms atoms;
    atoms.add(1.5, 1.0);
    AtomMigration migration;
    find(migration, world.rank, atoms);
    EXPECT_EQ(migration.unlinked_destination(transport), AtomMigration::NO_RANK);
    atoms.add(2.5, 2.0);
    find(migration, world.rank, atoms);
    EXPECT_EQ(migration.unlinked_destination(transport),
              world.rank == 0 ? 2 : AtomMigration::NO_RANK);
  });
}
