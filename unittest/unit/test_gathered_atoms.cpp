// SPDX-License-Identifier: GPL-2.0-only

// Atoms as kernels take them: every copy has what has been filled in, exactly.

#include "kernels/gathered_atoms.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <vector>

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
  gathered.renew_fourth(other.data());
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

TEST(GatheredAtoms, FilledAheadAreNotReadAgain)
{
  Atoms atoms(40);
  GatheredAtoms gathered;
  gathered.renew(atoms.to_gather(), 2);
  for (int copy = 0; copy < 2; copy++) fill_all(gathered, copy, {{0, 40}});

  atoms.x.assign(120, 1.0);
  atoms.fourth.assign(40, 2.0);
  atoms.type.assign(40, 3);
  gathered.fill_ahead(0, 8, 16);
  gathered.fill_ahead(0, 16, 24);
  gathered.note_ahead(0, 8, 24);
  atoms.x.assign(120, 4.0);
  gathered.renew(atoms.to_gather(), 2);
  for (int copy = 0; copy < 2; copy++) fill_all(gathered, copy, {{0, 12}, {20, 40}});
  const PairAtoms ahead = gathered.atoms(0), other = gathered.atoms(1);
  for (int i : {0, 7, 24, 39}) EXPECT_EQ(ahead.rows[4 * i], 4.0) << i;
  for (int i : {8, 12, 19, 23}) {
    EXPECT_EQ(ahead.rows[4 * i], 1.0) << i;
    EXPECT_EQ(ahead.rows[4 * i + 3], 2.0) << i;
    EXPECT_EQ(ahead.type[i], 3) << i;
  }
  for (int i : {0, 8, 23, 39}) EXPECT_EQ(other.rows[4 * i], 4.0) << i;

  atoms.x.assign(120, 5.0);    // what was ahead once is so no longer
  gathered.renew(atoms.to_gather(), 2);
  fill_all(gathered, 0, {{0, 40}});
  for (int i = 0; i < 40; i++) EXPECT_EQ(ahead.rows[4 * i], 5.0) << i;
}

/* ---------------------------------------------------------------------- */

TEST(GatheredAtoms, FilledAheadAreReadAgainWhereSomethingElseHasChanged)
{
  Atoms atoms(8), others(8);
  others.x.assign(24, 9.0);
  const std::vector<double> fourth(8, 7.0);
  const auto found = [&](const std::function<void(GatheredAtoms &, AtomsToGather &)> &change) {
    GatheredAtoms gathered;
    AtomsToGather from = atoms.to_gather();
    gathered.renew(from, 1);
    fill_all(gathered, 0, {{0, 8}});
    gathered.fill_ahead(0, 0, 8);
    gathered.note_ahead(0, 0, 8);
    change(gathered, from);
    if (gathered.missing(0) == GatheredAtoms::Missing::NOTHING) gathered.renew(from, 1);
    fill_all(gathered, 0, {{0, 8}});
    const PairAtoms all = gathered.atoms(0);
    return std::array<double, 2>{all.rows ? all.rows[4 * 5] : all.singles[4 * 5],
                                 all.rows ? all.rows[4 * 5 + 3] : all.singles[4 * 5 + 3]};
  };
  using Both = std::array<double, 2>;
  const double x = atoms.x[15], q = atoms.fourth[5];
  EXPECT_EQ(found([&](GatheredAtoms &, AtomsToGather &from) { from.x = others.x.data(); }),
            Both({9.0, q}));
  EXPECT_EQ(found([&](GatheredAtoms &, AtomsToGather &from) { from.fourth = nullptr; }),
            Both({x, 0.0}));
  EXPECT_EQ(found([&](GatheredAtoms &, AtomsToGather &from) {
              from.singly = true;
              from.center[0] = x;
            }),
            Both({0.0, static_cast<float>(q)}));
  EXPECT_EQ(found([&](GatheredAtoms &gathered, AtomsToGather &from) {
              gathered.renew(from, 1);
              gathered.renew_fourth(fourth.data());
            }),
            Both({x, 7.0}));
  EXPECT_EQ(found([&](GatheredAtoms &gathered, AtomsToGather &) {
              atoms.x.assign(24, -3.0);
              gathered.forget_ahead();
            }),
            Both({-3.0, q}));
}

/* ---------------------------------------------------------------------- */

TEST(GatheredAtoms, OfACopyThatIsNotInUseNothingIsFilledAhead)
{
  Atoms atoms(8);
  GatheredAtoms gathered;
  gathered.renew(atoms.to_gather(), 1);
  gathered.fill_ahead(0, 0, 8);    // has no memory yet
  gathered.note_ahead(0, 0, 8);
  gathered.renew(atoms.to_gather(), 1);
  fill_all(gathered, 0, {{0, 8}});
  EXPECT_EQ(gathered.atoms(0).rows[4 * 5], atoms.x[15]);
}

/* ---------------------------------------------------------------------- */

TEST(GatheredAtoms, MayBeNone)
{
  GatheredAtoms gathered;
  gathered.renew(AtomsToGather(), 1);
  fill_all(gathered, 0, {{0, 0}});
  expect_far(gathered.atoms(0).rows);
}
