// SPDX-License-Identifier: GPL-2.0-only
//
// The atoms that a rank hands over, against a sort of all its atoms by distance from the receiver.

#include "unit/testing.h"

#include "balance/transfer/transfer_selection.h"

using namespace TOFU_NS;

namespace {

using Squares = std::vector<double>;    // [natoms] squared distances from a receiver
using Work = std::vector<std::int64_t>;

/** Atoms in a row from 0 to 1, between two receivers. */
struct Donor {
  std::vector<double> x;
  Work work;

  Donor(int natoms, int maxwork, unsigned seed)
  {
    std::mt19937 random(seed);
    for (int n = 0; n < natoms; n++) {
      x.push_back(static_cast<double>(random() % 1000) / 1000.0);
      work.push_back(1 + random() % maxwork);
    }
  }

  Squares squares_from(double place) const
  {
    Squares squares;
    for (double one : x) squares.push_back((one - place) * (one - place));
    return squares;
  }

  int natoms() const { return static_cast<int>(x.size()); }
  std::int64_t total() const { return std::accumulate(work.begin(), work.end(), std::int64_t{0}); }
  std::vector<int> all() const
  {
    std::vector<int> atoms(x.size());
    std::iota(atoms.begin(), atoms.end(), 0);
    return atoms;
  }
};

struct Receiver {
  double place;
  std::int64_t amount;
};

std::vector<Receiver> both_sides(std::int64_t left, std::int64_t right)
{
  return {{0.0, left}, {1.0, right}};
}

using Given = std::vector<std::vector<int>>;    // [receivers] atoms

Given transfers_of(const TransferSelection &selection, std::size_t nreceivers)
{
  Given given(nreceivers);
  int before = -1;
  for (const SelectedTransfer &transfer : selection.transfers()) {
    EXPECT_GT(transfer.natoms, 0);
    EXPECT_GT(transfer.receiver, before);
    before = transfer.receiver;
    const auto begin = selection.atoms().begin() + transfer.first;
    given[transfer.receiver].assign(begin, begin + transfer.natoms);
  }
  return given;
}

Given give_by_work(const Donor &donor, const std::vector<Receiver> &receivers)
{
  TransferSelection selection;
  selection.begin(donor.natoms());
  for (std::size_t n = 0; n < receivers.size(); n++)
    selection.give_by_work(static_cast<int>(n), receivers[n].amount,
                           donor.squares_from(receivers[n].place).data(), donor.work.data());
  return transfers_of(selection, receivers.size());
}

/** The selection by a sort, which takes one atom after the other. */
Given give_by_sorting(const Donor &donor, const std::vector<Receiver> &receivers)
{
  Given given;
  std::set<int> left;
  for (int atom : donor.all())
    if (donor.work[atom] > 0) left.insert(atom);
  for (const Receiver &receiver : receivers) {
    const Squares squares = donor.squares_from(receiver.place);
    std::vector<std::pair<double, int>> order;
    for (int atom : left) order.emplace_back(squares[atom], atom);
    std::sort(order.begin(), order.end());
    given.emplace_back();
    std::int64_t rest = receiver.amount;
    for (const auto &[square, atom] : order) {
      if (std::abs(rest - donor.work[atom]) >= rest) break;
      rest -= donor.work[atom];
      given.back().push_back(atom);
      left.erase(atom);
    }
    std::sort(given.back().begin(), given.back().end());
  }
  return given;
}

std::int64_t sum_of_work(const Donor &donor, const std::vector<int> &atoms)
{
  std::int64_t sum = 0;
  for (int atom : atoms) sum += donor.work[atom];
  return sum;
}

}    // namespace

TEST(TransferSelection, GivesWhatSortingByDistanceGives)
{
  for (unsigned seed = 0; seed < 200; seed++) {
    const Donor donor(1 + seed, seed % 2 ? 1 : 30, seed);
    const std::int64_t half = donor.total() / 2;
    const auto receivers = both_sides(half * (seed % 7) / 6, half * (seed % 5) / 4);
    EXPECT_EQ(give_by_work(donor, receivers), give_by_sorting(donor, receivers)) << "seed " << seed;
  }
}

TEST(TransferSelection, GivesReceiversInOnePlaceOneAfterTheOther)
{
  for (unsigned seed = 0; seed < 100; seed++) {
    const Donor donor(50 + seed, seed % 2 ? 1 : 30, seed);
    const std::int64_t quarter = donor.total() / 4;
    const std::vector<Receiver> receivers{{0.5, quarter}, {0.5, quarter}, {0.0, quarter}};
    EXPECT_EQ(give_by_work(donor, receivers), give_by_sorting(donor, receivers)) << "seed " << seed;
  }
}

TEST(TransferSelection, IsRightWithinHalfTheWorkOfARow)
{
  for (unsigned seed = 0; seed < 100; seed++) {
    const Donor donor(100, 50, seed);
    const auto receivers = both_sides(donor.total() / 3, donor.total() / 4);
    const Given given = give_by_work(donor, receivers);
    for (int r = 0; r < 2; r++)
      EXPECT_LE(std::abs(sum_of_work(donor, given[r]) - receivers[r].amount), 25);
  }
}

TEST(TransferSelection, GivesNothingRatherThanMoreThanTwiceTheAmount)
{
  Donor donor(1, 1, 1);
  donor.work[0] = 10;
  for (const auto &[amount, ngiven] :
       {std::pair{-1, 0}, {0, 0}, {4, 0}, {5, 0}, {6, 1}, {10, 1}, {11, 1}}) {
    const Given given = give_by_work(donor, {{0.0, amount}});
    EXPECT_EQ(given[0].size(), static_cast<std::size_t>(ngiven)) << amount;
  }
}

TEST(TransferSelection, GivesAllIfMoreIsAskedFor)
{
  const Donor donor(50, 9, 1);
  const Given given = give_by_work(donor, both_sides(donor.total() + 100, 100));
  EXPECT_EQ(given[0], donor.all());
  EXPECT_TRUE(given[1].empty());
}

TEST(TransferSelection, HasNothingToGiveWithoutAtoms)
{
  const Donor donor(0, 9, 1);
  EXPECT_EQ(give_by_work(donor, both_sides(10, 10)), Given(2));
  TransferSelection selection;
  selection.begin(0);
  selection.give_nearest(0, 10, nullptr);
  EXPECT_TRUE(selection.transfers().empty());
}

TEST(TransferSelection, KeepsAtomsWithoutWork)
{
  Donor donor(60, 9, 1);
  for (std::size_t n = 0; n < donor.work.size(); n += 3) donor.work[n] = 0;
  const Given given = give_by_work(donor, both_sides(donor.total() + 1, 0));
  EXPECT_EQ(given[0].size(), 40u);
  for (int atom : given[0]) EXPECT_GT(donor.work[atom], 0);
}

TEST(TransferSelection, GivesEachAtomOnce)
{
  const Donor donor(200, 9, 1);
  const Given given = give_by_work(donor, both_sides(donor.total() / 2, donor.total()));
  std::vector<int> all = given[0];
  all.insert(all.end(), given[1].begin(), given[1].end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, donor.all());
}

TEST(TransferSelection, GivesTheLowestIndicesAtTheSameDistance)
{
  Donor donor(100, 1, 1);
  donor.x.assign(100, 0.5);
  EXPECT_EQ(give_by_work(donor, both_sides(5, 0))[0], (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(TransferSelection, GivesTheSameByDistancesAloneIfAllAtomsCostTheSame)
{
  TransferSelection selection;
  for (unsigned seed = 1; seed < 20; seed++) {
    Donor donor(seed == 1 ? 1 : 200, 1, seed);
    if (seed % 3 == 0)    // few different positions
      for (double &x : donor.x) x = std::round(6.0 * x) / 6.0;
    for (int left : {0, 1, 77, 200, 1000})
      for (int right : {-1, 0, 60, 500}) {
        const auto receivers = both_sides(left, right);
        selection.begin(donor.natoms());
        for (int n = 0; n < 2; n++)
          selection.give_nearest(n, receivers[n].amount,
                                 donor.squares_from(receivers[n].place).data());
        ASSERT_EQ(transfers_of(selection, 2), give_by_sorting(donor, receivers))
            << left << " and " << right;
      }
  }
}

TEST(TransferSelection, GivesAtomsWhosePlaceIsNoNumberLast)
{
  const double most = std::numeric_limits<double>::max();
  const Squares squares{most, 3.0, most, 1.0, 2.0};
  const Work work(5, 1);
  TransferSelection selection;
  for (int amount = 0; amount <= 5; amount++) {
    std::vector<int> expected{3, 4, 1, 0, 2};
    expected.resize(amount);
    std::sort(expected.begin(), expected.end());
    selection.begin(5);
    selection.give_nearest(0, amount, squares.data());
    EXPECT_EQ(selection.atoms(), expected);
    selection.begin(5);
    selection.give_by_work(0, amount, squares.data(), work.data());
    EXPECT_EQ(selection.atoms(), expected);
  }
}

TEST(TransferSelection, BeginsAnew)
{
  const Donor donor(10, 1, 1);
  TransferSelection selection;
  selection.begin(10);
  selection.give_nearest(0, 10, donor.squares_from(0.0).data());
  EXPECT_EQ(selection.atoms(), donor.all());
  selection.begin(10);
  EXPECT_TRUE(selection.transfers().empty());
  EXPECT_TRUE(selection.atoms().empty());
}
