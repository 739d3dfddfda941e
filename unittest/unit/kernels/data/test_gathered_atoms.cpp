// SPDX-License-Identifier: GPL-2.0-only

// Atoms as kernels take them: every copy has what has been filled in, exactly.

#include "unit/testing.h"

#include "kernels/data/gathered_atoms.h"

using namespace TOFU_NS;

namespace {

/** Some atoms with values that show where they come from. */
struct Atoms {
  std::vector<double> x, fourth;
  std::vector<int> type;

  explicit Atoms(int n)
  {
    for (int i = 0; i < n; i++) {
      for (int dim = 0; dim < 3; dim++) x.push_back(100.0 * i + dim + 0.1);
      fourth.push_back(-i - 0.5);
      type.push_back(i % 3 + 1);
    }
  }

  AtomsToGather to_gather() const
  {
    AtomsToGather from;
    from.natoms = static_cast<int>(type.size());
    from.x = x.data();
    from.type = type.data();
    from.fourth = fourth.data();
    return from;
  }
};

void fill_all(GatheredAtoms &gathered, int copy, const std::vector<std::pair<int, int>> &ranges)
{
  gathered.begin(copy);
  for (const auto &range : ranges) gathered.fill(copy, range.first, range.second);
  gathered.end(copy);
}

template <class Real> void expect_far(const Real *row)
{
  for (int dim = 0; dim < 3; dim++) EXPECT_GT(row[dim], 1.0e11);
  EXPECT_EQ(row[3], 0);
}

}    // namespace

/* ---------------------------------------------------------------------- */

TEST(GatheredAtoms, HaveRowsAndTypesOfTheRangesOfEachCopy)
{
  const Atoms atoms(50);
  GatheredAtoms gathered;
  gathered.renew(atoms.to_gather(), 2);
  const std::vector<std::vector<std::pair<int, int>>> ranges = {{{0, 20}, {30, 31}}, {{16, 50}}};
  for (int copy = 0; copy < 2; copy++) {
    fill_all(gathered, copy, ranges[copy]);
    const PairAtoms found = gathered.atoms(copy);
    EXPECT_EQ(found.singles, nullptr);
    for (const auto &range : ranges[copy])
      for (int i = range.first; i < range.second; i++) {
        for (int dim = 0; dim < 3; dim++) EXPECT_EQ(found.rows[4 * i + dim], atoms.x[3 * i + dim]);
        EXPECT_EQ(found.rows[4 * i + 3], atoms.fourth[i]);
        EXPECT_EQ(found.type[i], atoms.type[i]);
      }
    expect_far(found.rows + 4 * 50);
    EXPECT_EQ(found.type[50], 1);
  }
  EXPECT_NE(gathered.atoms(0).rows, gathered.atoms(1).rows);
}

/* ---------------------------------------------------------------------- */

TEST(GatheredAtoms, WithoutTypesAndFourthValueHaveZerosThere)
{
  const Atoms atoms(5);
  AtomsToGather from = atoms.to_gather();
  from.type = nullptr;
  from.fourth = nullptr;
  GatheredAtoms gathered;
  gathered.renew(from, 1);
  fill_all(gathered, 0, {{0, 5}});
  EXPECT_EQ(gathered.atoms(0).type, nullptr);
  for (int i = 0; i < 5; i++) EXPECT_EQ(gathered.atoms(0).rows[4 * i + 3], 0.0);
}

/* ---------------------------------------------------------------------- */

TEST(GatheredAtoms, InSinglePrecisionCountFromTheCenter)
{
  Atoms atoms(3);
  atoms.x = {1.0e6 + 0.125, 2.0, 3.0, 1.0e6, 2.0, 3.0, 1.0e6 - 0.25, 2.5, 3.0};
  AtomsToGather from = atoms.to_gather();
  from.singly = true;
  from.center[0] = 1.0e6;
  from.center[1] = 2.0;
  GatheredAtoms gathered;
  gathered.renew(from, 1);
  fill_all(gathered, 0, {{0, 3}});
  const PairAtoms found = gathered.atoms(0);
  EXPECT_EQ(found.rows, nullptr);
  const std::vector<float> expected = {0.125F, 0.0F,  3.0F,   -0.5F, 0.0F, 0.0F,
                                       3.0F,   -1.5F, -0.25F, 0.5F,  3.0F, -2.5F};
  for (int k = 0; k < 12; k++) EXPECT_EQ(found.singles[k], expected[k]) << k;
  expect_far(found.singles + 12);
}

/* ---------------------------------------------------------------------- */

TEST(GatheredAtoms, MissWhatHasChangedSinceTheyWereFilled)
{
  using Missing = GatheredAtoms::Missing;
  Atoms atoms(4);
  GatheredAtoms gathered;
  gathered.renew(atoms.to_gather(), 2);
  EXPECT_EQ(gathered.missing(0), Missing::ALL);
  fill_all(gathered, 0, {{0, 4}});
  EXPECT_EQ(gathered.missing(0), Missing::NOTHING);
  EXPECT_EQ(gathered.missing(1), Missing::ALL);

  const std::vector<double> other = {1.0, 2.0, 3.0, 4.0};
  gathered.set_fourth(other.data());
  EXPECT_EQ(gathered.missing(0), Missing::FOURTH);
  EXPECT_EQ(gathered.missing(1), Missing::ALL);
  atoms.x.assign(12, -7.0);    // must not be read again
  fill_all(gathered, 0, {{0, 4}});
  EXPECT_EQ(gathered.atoms(0).rows[4], 100.1);
  EXPECT_EQ(gathered.atoms(0).rows[7], 2.0);

  gathered.renew(atoms.to_gather(), 2);
  EXPECT_EQ(gathered.missing(0), Missing::ALL);
  fill_all(gathered, 0, {{0, 4}});
  EXPECT_EQ(gathered.atoms(0).rows[4], -7.0);
}

/* ---------------------------------------------------------------------- */

TEST(GatheredAtoms, MayBeNone)
{
  GatheredAtoms gathered;
  gathered.renew(AtomsToGather(), 1);
  fill_all(gathered, 0, {{0, 0}});
  expect_far(gathered.atoms(0).rows);
}
