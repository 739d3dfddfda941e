// SPDX-License-Identifier: GPL-2.0-only

#include "unit/testing.h"

#include "base/sum_array.h"
#include "pool/part_sums.h"
#include "pool/thread_pool.h"

using namespace TOFU_NS;

namespace {

/** Additions of some parts, and what they come to one after the other. */
struct Additions {
  int nparts, natoms, width;
  struct One {
    int atom;
    double value;
  };
  std::vector<std::vector<One>> of;    // [nparts]

  Additions(int nparts, int natoms, int width, int n, unsigned seed) :
      nparts(nparts), natoms(natoms), width(width), of(nparts)
  {
    std::mt19937 draw(seed);
    for (auto &mine : of) {
      const int low = static_cast<int>(draw() % natoms);
      const int range = 1 + static_cast<int>(draw() % (natoms - low));
      for (int k = 0; k < n; k++)
        mine.push_back({low + static_cast<int>(draw() % range), 1e-3 * (draw() % 1000)});
    }
  }

  std::vector<double> in_order() const
  {
    std::vector<std::vector<double>> sums(nparts, std::vector<double>(natoms * width, 0.0));
    for (int part = 0; part < nparts; part++)
      for (const One &one : of[part])
        for (int c = 0; c < width; c++) sums[part][one.atom * width + c] += (c + 1) * one.value;
    std::vector<double> total = sums[0];
    for (int part = 1; part < nparts; part++)
      for (std::size_t i = 0; i < total.size(); i++) total[i] += sums[part][i];
    return total;
  }

  std::vector<double> on(ThreadPool &pool, PartReach &reach, PartSums &sums) const
  {
    reach.resize(nparts, natoms);
    sums.resize(nparts);
    pool.run(nparts, [&](int part) {
      for (const One &one : of[part]) reach.add(part, one.atom);
    });
    pool.run(nparts, [&](int part) {
      double *const mine = sums.take(reach, part);
      for (const One &one : of[part])
        for (int c = 0; c < width; c++) mine[one.atom * width + c] += (c + 1) * one.value;
    });
    std::vector<double> total(natoms * width, 0.0);
    pool.run(nparts, [&](int part) {
      const int first = reach.nblocks() * part / nparts,
                last = reach.nblocks() * (part + 1) / nparts;
      sums.add_up(reach, first, last, natoms, [&](int atom, const double *values) {
        for (int c = 0; c < width; c++) total[atom * width + c] += values[c];
      });
    });
    sums.give_back();
    return total;
  }
};

bool all_are_zero(const double *numbers, std::size_t n)
{
  return std::all_of(numbers, numbers + n, [](double number) { return number == 0.0; });
}

}    // namespace

TEST(PartSums, AreThoseOfOnePartAfterTheOther)
{
  ThreadPool::Options options;
  options.processors = {0, 1, 2};
  ThreadPool pool(options);
  pool.grow(3);
  PartReach reach;
  for (const int width : {1, 4, 6}) {
    PartSums sums(width);
    for (unsigned seed = 0; seed < 60; seed++) {
      const int nparts = 1 + static_cast<int>(seed % 5);
      const Additions additions(nparts, 1 + static_cast<int>(seed * 17 % 700), width, 200, seed);
      const std::vector<double> expected = additions.in_order(),
                                found = additions.on(pool, reach, sums);
      EXPECT_EQ(found, expected);    // to the last bit
    }
  }
}

TEST(PartSums, OfAtomsBeyondAreLeftOut)
{
  PartReach reach;
  reach.resize(2, 130);
  PartSums sums(1);
  sums.resize(2);
  for (int part = 0; part < 2; part++) {
    reach.add(part, 129);
    sums.take(reach, part)[129] = 1.0;
  }
  int ncalls = 0;
  sums.add_up(reach, 0, reach.nblocks(), 129, [&](int atom, const double *) {
    ncalls++;
    EXPECT_EQ(atom, 128);    // the only one of this block
  });
  EXPECT_EQ(ncalls, 1);
}

TEST(PartSums, AreTakenAsZeroAlsoIfAnErrorHasKeptThemFromBeingAddedUp)
{
  constexpr int NATOMS = 400;
  PartReach reach;
  PartSums sums(4);
  sums.resize(1);
  std::mt19937 draw(11);
  for (int k = 0; k < 200; k++) {
    const int natoms = 1 + static_cast<int>(draw() % NATOMS);
    reach.resize(1, natoms);
    for (int n = 0; n < 3; n++) reach.add(0, static_cast<int>(draw() % natoms));
    double *const numbers = sums.take(reach, 0);
    reach.for_ranges(0, [&](int first, int last) {
      ASSERT_TRUE(all_are_zero(numbers + 4 * first, 4 * (last - first))) << k;
      std::fill(numbers + 4 * first, numbers + 4 * last, 1.0);
    });
    if (k % 3 == 0) continue;    // the error
    sums.add_up(reach, 0, reach.nblocks(), natoms, [](int, const double *) {});
    sums.give_back();
  }
}

TEST(PartSums, CostNothingInBlocksThatNobodyReaches)
{
  PartReach reach;
  reach.resize(3, 1000);
  PartSums sums(4);
  sums.resize(3);
  reach.add(1, 70);
  for (int part = 0; part < 3; part++) sums.take(reach, part);
  int ncalls = 0;
  sums.add_up(reach, 0, reach.nblocks(), 1000, [&](int, const double *) { ncalls++; });
  EXPECT_EQ(ncalls, PartReach::BLOCK);
}

/* ---------------------------------------------------------------------- */

TEST(PartReach, HasRangesOfBlocksThatEndWithTheLastAtom)
{
  constexpr int BLOCK = PartReach::BLOCK;
  PartReach reach;
  reach.resize(2, 5 * BLOCK + 1);
  reach.add(0, 0);
  reach.add(0, 2 * BLOCK - 1);
  reach.add(0, 5 * BLOCK);
  reach.add(1, 3 * BLOCK);
  const auto ranges = [&](int part) {
    std::vector<std::pair<int, int>> found;
    reach.for_ranges(part, [&](int first, int last) { found.emplace_back(first, last); });
    return found;
  };
  const std::vector<std::pair<int, int>> first = {{0, 2 * BLOCK}, {5 * BLOCK, 5 * BLOCK + 1}},
                                         second = {{3 * BLOCK, 4 * BLOCK}};
  EXPECT_EQ(ranges(0), first);
  EXPECT_EQ(ranges(1), second);
}

/* ---------------------------------------------------------------------- */

TEST(PartReach, SharesHaveAsManySumsButForABlock)
{
  constexpr int BLOCK = PartReach::BLOCK;
  std::mt19937 draw(19);
  for (int nparts : {1, 2, 3, 7})
    for (int nblocks : {0, 1, 2, 40, 333}) {
      PartReach reach;
      reach.resize(nparts, nblocks * BLOCK);
      EXPECT_EQ(reach.begin_of_share(nparts), nblocks) << "before deal()";
      std::vector<int> nsums(nblocks, 0);
      for (int part = 0; part < nparts; part++)
        for (int block = part * nblocks / (2 * nparts); block < nblocks; block++)
          if (draw() % 3) {
            reach.add(part, block * BLOCK);
            nsums[block]++;
          }
      reach.deal();
      EXPECT_EQ(reach.begin_of_share(0), 0);
      EXPECT_EQ(reach.begin_of_share(nparts), nblocks);
      const double all = std::accumulate(nsums.begin(), nsums.end(), 0.0);
      for (int share = 0; share < nparts; share++) {
        const int begin = reach.begin_of_share(share), end = reach.begin_of_share(share + 1);
        ASSERT_LE(begin, end);
        const double mine = std::accumulate(nsums.begin() + begin, nsums.begin() + end, 0.0);
        EXPECT_NEAR(mine, all / nparts, nparts) << "share " << share << " of " << nblocks;
      }
    }
}

/* ---------------------------------------------------------------------- */

TEST(SumArray, IsZeroWhenItIsTakenWhateverItsLengthWasBefore)
{
  SumArray sums;
  std::mt19937 draw(7);
  for (int k = 0; k < 200; k++) {
    const std::size_t n = draw() % 3000;
    double *const numbers = sums.take(n);
    ASSERT_TRUE(all_are_zero(numbers, n)) << k;
    std::fill_n(numbers, n, 1.0);
    if (k % 3 == 0) continue;    // an error has come in between: nobody sets them to 0
    std::fill_n(numbers, n, 0.0);
    sums.give_back();
  }
}
