// SPDX-License-Identifier: GPL-2.0-only
//
// What a rank gives away, against sorting all of its atoms by their distance from the receiver.

#include "balance/donation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>

using namespace TOFU_NS;

namespace {

const std::array<double, 3> LENGTHS{4.0, 6.0, 5.0};

double square_from(const double *fraction, const SubBox &box)
{
  double sum = 0.0;
  for (int dim = 0; dim < 3; dim++) {
    const double inside = std::clamp(fraction[dim], box.lo[dim], box.hi[dim]);
    sum += std::pow((fraction[dim] - inside) * LENGTHS[dim], 2);
  }
  return sum;
}

/** Sub-box of a place in a grid of ranks. */
SubBox cell(const std::array<int, 3> &grid, const std::array<int, 3> &place)
{
  SubBox box;
  for (int dim = 0; dim < 3; dim++) {
    box.lo[dim] = static_cast<double>(place[dim]) / grid[dim];
    box.hi[dim] = static_cast<double>(place[dim] + 1) / grid[dim];
  }
  return box;
}

/** A donor and its atoms, whose indices are odd. */
struct Donor {
  SubBox box;
  std::vector<int> atoms;
  std::vector<double> fractions;
  std::vector<std::int64_t> work;

  Donor(const SubBox &sub_box, int natoms, int maxwork, unsigned seed) : box(sub_box)
  {
    std::mt19937 random(seed);
    for (int n = 0; n < natoms; n++) {
      atoms.push_back(2 * n + 1);
      work.push_back(1 + random() % maxwork);
      for (int dim = 0; dim < 3; dim++) {
        const double part = static_cast<double>(random() % 1000) / 1000.0;
        fractions.push_back(box.lo[dim] + part * (box.hi[dim] - box.lo[dim]));
      }
    }
  }

  DonationCandidates candidates() const
  {
    return {static_cast<int>(atoms.size()), atoms.data(), fractions.data(), work.data(), LENGTHS};
  }

  std::int64_t work_of(int atom) const { return work[place(atom)]; }
  const double *fraction_of(int atom) const { return &fractions[3 * place(atom)]; }

  std::int64_t total() const { return std::accumulate(work.begin(), work.end(), std::int64_t{0}); }

  void shuffle(unsigned seed)
  {
    const Donor before = *this;
    std::shuffle(atoms.begin(), atoms.end(), std::mt19937(seed));
    for (std::size_t n = 0; n < atoms.size(); n++) {
      work[n] = before.work_of(atoms[n]);
      std::copy_n(before.fraction_of(atoms[n]), 3, &fractions[3 * n]);
    }
  }

 private:
  std::size_t place(int atom) const
  {
    return std::find(atoms.begin(), atoms.end(), atom) - atoms.begin();
  }
};

/** [receivers] [images] atoms. */
using Given = std::vector<std::vector<std::vector<int>>>;

Given choose(const Donor &donor, const std::vector<DonationReceiver> &receivers)
{
  Donation donation;
  donation.choose(donor.candidates(), receivers);
  Given given;
  for (const DonationReceiver &receiver : receivers) given.emplace_back(receiver.images.size());
  for (const Gift &gift : donation.gifts()) {
    EXPECT_GT(gift.natoms, 0);
    const auto begin = donation.atoms().begin() + gift.first;
    given[gift.receiver][gift.image].assign(begin, begin + gift.natoms);
  }
  return given;
}

/** The same by sorting, and taking one atom after the other. */
Given choose_by_sorting(const Donor &donor, const std::vector<DonationReceiver> &receivers)
{
  Given given;
  std::set<int> left(donor.atoms.begin(), donor.atoms.end());
  for (const DonationReceiver &receiver : receivers) {
    std::vector<std::tuple<double, int, int>> order;    // square of the distance, atom, image
    for (int atom : left) {
      std::pair<double, int> nearest{1e30, -1};
      for (std::size_t image = 0; image < receiver.images.size(); image++)
        nearest = std::min(nearest,
                           {square_from(donor.fraction_of(atom), receiver.images[image].box),
                            static_cast<int>(image)});
      order.emplace_back(nearest.first, atom, nearest.second);
    }
    std::sort(order.begin(), order.end());
    given.emplace_back(receiver.images.size());
    std::int64_t rest = receiver.amount;
    for (const auto &[distance, atom, image] : order) {
      if (std::abs(rest - donor.work_of(atom)) >= rest) break;
      rest -= donor.work_of(atom);
      given.back()[image].push_back(atom);
      left.erase(atom);
    }
    for (auto &atoms : given.back()) std::sort(atoms.begin(), atoms.end());
  }
  return given;
}

std::vector<int> all_of(const std::vector<std::vector<int>> &by_image)
{
  std::vector<int> all;
  for (const auto &atoms : by_image) all.insert(all.end(), atoms.begin(), atoms.end());
  std::sort(all.begin(), all.end());
  return all;
}

std::int64_t sum_of_work(const Donor &donor, const std::vector<std::vector<int>> &by_image)
{
  std::int64_t sum = 0;
  for (int atom : all_of(by_image)) sum += donor.work_of(atom);
  return sum;
}

/** Receivers on both sides of the middle one of three, in a row that may be periodic. */
std::vector<DonationReceiver> both_sides(std::int64_t left, std::int64_t right, int periodic)
{
  const SubBox donor = cell({3, 1, 1}, {1, 0, 0});
  std::vector<DonationReceiver> receivers;
  receivers.push_back({left, receiver_images(donor, cell({3, 1, 1}, {0, 0, 0}), {periodic, 1, 1})});
  receivers.push_back(
      {right, receiver_images(donor, cell({3, 1, 1}, {2, 0, 0}), {periodic, 1, 1})});
  return receivers;
}

/** Receivers with four, two and one images of a donor in the corner of a square of four. */
std::vector<DonationReceiver> around_the_corner(std::int64_t amount)
{
  const std::array<int, 3> grid{2, 2, 1};
  const SubBox donor = cell(grid, {1, 0, 0});
  std::vector<DonationReceiver> receivers;
  for (const auto &[place, periodic] : {std::pair{std::array<int, 3>{0, 1, 0}, 1},
                                        {std::array<int, 3>{1, 1, 0}, 1},
                                        {std::array<int, 3>{0, 0, 0}, 0}})
    receivers.push_back({amount, receiver_images(donor, cell(grid, place), {periodic, 1, 1})});
  return receivers;
}

/* ---------------------------------------------------------------------- */

TEST(Donation, GivesWhatSortingByDistanceGives)
{
  for (unsigned seed = 0; seed < 200; seed++) {
    const Donor donor(cell({3, 1, 1}, {1, 0, 0}), 1 + seed, seed % 2 ? 1 : 30, seed);
    const std::int64_t half = donor.total() / 2;
    const auto receivers = both_sides(half * (seed % 7) / 6, half * (seed % 5) / 4, seed % 3 > 0);
    EXPECT_EQ(choose(donor, receivers), choose_by_sorting(donor, receivers)) << "seed " << seed;
  }
}

TEST(Donation, GivesEachImageOfEachReceiverWhatSortingByDistanceGives)
{
  for (unsigned seed = 0; seed < 100; seed++) {
    const Donor donor(cell({2, 2, 1}, {1, 0, 0}), 50 + seed, seed % 2 ? 1 : 30, seed);
    const auto receivers = around_the_corner(donor.total() / 4);
    for (std::size_t n = 0; n < 3; n++) ASSERT_EQ(receivers[n].images.size(), 4u >> n);
    EXPECT_EQ(choose(donor, receivers), choose_by_sorting(donor, receivers)) << "seed " << seed;
  }
}

TEST(Donation, GivesTheNearestThroughEitherSideOfAPeriodicBox)
{
  const SubBox lower = cell({2, 1, 1}, {0, 0, 0}), upper = cell({2, 1, 1}, {1, 0, 0});
  const Donor donor(upper, 400, 10, 1);
  const std::vector<DonationReceiver> receivers{
      {donor.total() / 3, receiver_images(upper, lower, {1, 1, 1})}};
  const Given given = choose(donor, receivers);
  EXPECT_EQ(given, choose_by_sorting(donor, receivers));

  ASSERT_EQ(receivers[0].images.size(), 2u);
  EXPECT_EQ(receivers[0].images[0].boxes, (std::array<int, 3>{-1, 0, 0}));
  EXPECT_EQ(receivers[0].images[1].boxes, (std::array<int, 3>{0, 0, 0}));
  EXPECT_GT(given[0][0].size(), 20u);
  EXPECT_GT(given[0][1].size(), 20u);
  for (int atom : given[0][0]) EXPECT_GE(donor.fraction_of(atom)[0], 0.75);
  for (int atom : given[0][1]) EXPECT_LE(donor.fraction_of(atom)[0], 0.75);
}

TEST(Donation, IsRightWithinHalfTheWorkOfARow)
{
  for (unsigned seed = 0; seed < 100; seed++) {
    const Donor donor(cell({3, 1, 1}, {1, 0, 0}), 100, 50, seed);
    const auto receivers = both_sides(donor.total() / 3, donor.total() / 4, 0);
    const Given given = choose(donor, receivers);
    for (int r = 0; r < 2; r++)
      EXPECT_LE(std::abs(sum_of_work(donor, given[r]) - receivers[r].amount), 25);
  }
}

TEST(Donation, GivesNothingRatherThanMoreThanTwiceTheAmount)
{
  const SubBox box = cell({1, 1, 1}, {0, 0, 0});
  Donor donor(box, 1, 1, 1);
  donor.work[0] = 10;
  for (const auto &[amount, ngiven] : {std::pair{0, 0}, {4, 0}, {5, 0}, {6, 1}, {10, 1}, {11, 1}}) {
    const Given given = choose(donor, {{amount, receiver_images(box, box, {1, 1, 1})}});
    EXPECT_EQ(all_of(given[0]).size(), static_cast<std::size_t>(ngiven)) << amount;
  }
}

TEST(Donation, GivesAllIfMoreIsAskedFor)
{
  const Donor donor(cell({3, 1, 1}, {1, 0, 0}), 50, 9, 1);
  const Given given = choose(donor, both_sides(donor.total() + 100, 100, 1));
  EXPECT_EQ(all_of(given[0]), donor.atoms);
  EXPECT_TRUE(all_of(given[1]).empty());
}

TEST(Donation, HasNothingToGiveWithoutAtoms)
{
  const Donor donor(cell({3, 1, 1}, {1, 0, 0}), 0, 9, 1);
  EXPECT_TRUE(all_of(choose(donor, both_sides(10, 10, 1))[0]).empty());
}

TEST(Donation, KeepsAtomsWithoutWork)
{
  Donor donor(cell({3, 1, 1}, {1, 0, 0}), 60, 9, 1);
  for (std::size_t n = 0; n < donor.work.size(); n += 3) donor.work[n] = 0;
  const Given given = choose(donor, both_sides(donor.total() + 1, 0, 1));
  EXPECT_EQ(all_of(given[0]).size(), 40u);
  for (int atom : all_of(given[0])) EXPECT_GT(donor.work_of(atom), 0);
}

TEST(Donation, GivesEachAtomOnce)
{
  const Donor donor(cell({3, 1, 1}, {1, 0, 0}), 200, 9, 1);
  const Given given = choose(donor, both_sides(donor.total() / 2, donor.total(), 1));
  std::vector<int> all = all_of(given[0]), more = all_of(given[1]);
  all.insert(all.end(), more.begin(), more.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, donor.atoms);
}

TEST(Donation, GivesAscendingIndicesAtTheSameDistance)
{
  Donor donor(cell({3, 1, 1}, {1, 0, 0}), 100, 1, 1);
  for (std::size_t n = 0; n < donor.fractions.size(); n++) donor.fractions[n] = 0.5;
  donor.shuffle(1);
  const std::vector<int> given = all_of(choose(donor, both_sides(10, 0, 0))[0]);
  EXPECT_EQ(given, (std::vector<int>{1, 3, 5, 7, 9, 11, 13, 15, 17, 19}));
}

TEST(Donation, DoesNotDependOnTheOrderOfCandidates)
{
  Donor donor(cell({3, 1, 1}, {1, 0, 0}), 300, 9, 1);
  const auto receivers = both_sides(donor.total() / 3, donor.total() / 4, 1);
  const Given given = choose(donor, receivers);
  for (unsigned seed = 0; seed < 10; seed++) {
    donor.shuffle(seed);
    EXPECT_EQ(choose(donor, receivers), given);
  }
}

TEST(Donation, GivesTheSameByDistancesAloneIfAllAtomsCostTheSame)
{
  Donation donation;
  for (unsigned seed = 1; seed < 20; seed++) {
    const int natoms = seed == 1 ? 1 : 200;
    Donor donor(cell({3, 1, 1}, {1, 0, 0}), natoms, 1, seed);
    std::iota(donor.atoms.begin(), donor.atoms.end(), 0);
    if (seed % 3 == 0)    // few places
      for (double &fraction : donor.fractions) fraction = std::round(6.0 * fraction) / 6.0;
    for (int left : {0, 1, 77, 200, 1000})
      for (int right : {-1, 0, 60, 500}) {
        const auto receivers = both_sides(left, right, 0);
        const Given expected = choose_by_sorting(donor, receivers);
        donation.begin(natoms);
        Given given(2, std::vector<std::vector<int>>(1));
        for (int n = 0; n < 2; n++) {
          std::vector<double> squares;
          for (int i = 0; i < natoms; i++)
            squares.push_back(square_from(donor.fraction_of(i), receivers[n].images[0].box));
          donation.give_nearest(n, receivers[n].amount, squares.data());
        }
        for (const Gift &gift : donation.gifts()) {
          EXPECT_GT(gift.natoms, 0);
          const auto begin = donation.atoms().begin() + gift.first;
          given[gift.receiver][gift.image].assign(begin, begin + gift.natoms);
        }
        ASSERT_EQ(given, expected) << left << " and " << right;
      }
  }
}

TEST(Donation, GivesAtomsWhosePlaceIsNoNumberLast)
{
  const double most = std::numeric_limits<double>::max();
  const std::vector<double> squares{most, 3.0, most, 1.0, 2.0};
  Donation donation;
  for (int amount = 0; amount <= 5; amount++) {
    donation.begin(5);
    donation.give_nearest(0, amount, squares.data());
    std::vector<int> expected{3, 4, 1, 0, 2};
    expected.resize(amount);
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(donation.atoms(), expected);
  }
}

TEST(Donation, GivesNothingWithoutReceivers)
{
  const Donor donor(cell({3, 1, 1}, {1, 0, 0}), 10, 1, 1);
  Donation donation;
  donation.choose(donor.candidates(), both_sides(5, 5, 1));
  EXPECT_FALSE(donation.gifts().empty());
  donation.choose(donor.candidates(), {});
  EXPECT_TRUE(donation.gifts().empty());
  EXPECT_TRUE(donation.atoms().empty());
}

TEST(Donation, CountsDistancesNotFractions)
{
  const SubBox donor_box{{0.0, 0.0, 0.0}, {0.5, 0.5, 1.0}};
  const SubBox receiver{{0.5, 0.5, 0.0}, {1.0, 1.0, 1.0}};
  Donor donor(donor_box, 2, 1, 1);
  donor.fractions = {0.40, 0.49, 0.5, 0.49, 0.42, 0.5};    // 0.40 and 0.48 from the receiver
  const Given given = choose(donor, {{1, receiver_images(donor_box, receiver, {0, 0, 0})}});
  EXPECT_EQ(given[0][0], std::vector<int>{1});
}

/* ---------------------------------------------------------------------- */

class ImagesInAGrid : public testing::TestWithParam<std::array<int, 3>> {};

TEST_P(ImagesInAGrid, AreAllThatAreTheNearestSomewhereInTheDonor)
{
  const std::array<int, 3> grid = GetParam();
  std::mt19937 random(1);
  const auto place = [&] {
    return std::array<int, 3>{static_cast<int>(random() % grid[0]),
                              static_cast<int>(random() % grid[1]),
                              static_cast<int>(random() % grid[2])};
  };
  for (int n = 0; n < 20; n++) {
    const SubBox donor = cell(grid, place()), receiver = cell(grid, place());
    std::set<std::array<int, 3>> nearest, listed;
    for (int point = 0; point < 300; point++) {
      std::array<int, 3> boxes{};
      for (int dim = 0; dim < 3; dim++) {
        const double part = (random() % 1000 + 0.5) / 1000.0;
        const double x = donor.lo[dim] + part * (donor.hi[dim] - donor.lo[dim]);
        double least = 1e30;
        for (int box : {0, -1, 1}) {
          const double gap =
              std::max({receiver.lo[dim] - x - box, x + box - receiver.hi[dim], 0.0});
          if (gap < least) boxes[dim] = box;
          least = std::min(least, gap);
        }
      }
      nearest.insert(boxes);
    }
    for (const ReceiverImage &image : receiver_images(donor, receiver, {1, 1, 1})) {
      EXPECT_TRUE(listed.insert(image.boxes).second);
      for (int dim = 0; dim < 3; dim++) {
        EXPECT_DOUBLE_EQ(image.box.lo[dim], receiver.lo[dim] - image.boxes[dim]);
        EXPECT_DOUBLE_EQ(image.box.hi[dim], receiver.hi[dim] - image.boxes[dim]);
      }
    }
    EXPECT_TRUE(std::includes(listed.begin(), listed.end(), nearest.begin(), nearest.end()));
    EXPECT_LE(listed.size(), 8u);
    if (grid != std::array<int, 3>{3, 5, 7}) {
      EXPECT_EQ(listed, nearest);    // not of thirds, which are rounded
    }
  }
}

TEST_P(ImagesInAGrid, IsOneIfNothingIsPeriodic)
{
  const std::array<int, 3> grid = GetParam();
  const auto images = receiver_images(
      cell(grid, {0, 0, 0}), cell(grid, {grid[0] - 1, grid[1] - 1, grid[2] - 1}), {0, 0, 0});
  ASSERT_EQ(images.size(), 1u);
  EXPECT_EQ(images[0].boxes, (std::array<int, 3>{0, 0, 0}));
}

TEST(NearestImage, IsTheOneBesideThePlace)
{
  const std::array<int, 3> grid = {2, 1, 1};
  const auto images = receiver_images(cell(grid, {0, 0, 0}), cell(grid, {1, 0, 0}), {1, 1, 1});
  ASSERT_EQ(images.size(), 2u);    // to the left and to the right
  EXPECT_LT(nearest_image(images, {0.1, 0.5, 0.5}, LENGTHS).box.hi[0], 0.05);
  EXPECT_GT(nearest_image(images, {0.4, 0.5, 0.5}, LENGTHS).box.lo[0], 0.45);
  EXPECT_EQ(nearest_image(images, {0.25, 0.5, 0.5}, LENGTHS).boxes, images[0].boxes);
}

TEST(NearestImage, CountsDistancesNotFractions)
{
  ReceiverImage one{{0, 0, 0}, {{0.6, 0.0, 0.0}, {0.8, 1.0, 1.0}}}, other = one;
  other.boxes = {0, 1, 0};
  other.box = {{0.0, 0.65, 0.0}, {1.0, 0.8, 1.0}};
  const std::array<double, 3> place = {0.5, 0.5, 0.5};
  EXPECT_EQ(nearest_image({one, other}, place, {1.0, 1.0, 1.0}).boxes, one.boxes);
  EXPECT_EQ(nearest_image({one, other}, place, {3.0, 1.0, 1.0}).boxes, other.boxes);
}

INSTANTIATE_TEST_SUITE_P(Grids, ImagesInAGrid,
                         testing::Values(std::array<int, 3>{1, 1, 1}, std::array<int, 3>{2, 1, 1},
                                         std::array<int, 3>{2, 2, 2}, std::array<int, 3>{4, 2, 8},
                                         std::array<int, 3>{3, 5, 7}));

}    // namespace
