// SPDX-License-Identifier: GPL-2.0-only
//
// Shares of items by work that is known, or that was found in the shares before.

#include "unit/testing.h"

#include "base/weighed_shares.h"

using namespace TOFU_NS;

namespace {

constexpr int N = 16000;

/** Work of a share if items at the end have three times that of items at the beginning. */
std::vector<double> work_of(const WeighedShares &shares, int nparts)
{
  std::vector<double> work(nparts, 0.0);
  for (int part = 0; part < nparts; part++)
    for (int i = shares.begin(part, nparts, N); i < shares.begin(part + 1, nparts, N); i++)
      work[part] += i < 3 * N / 4 ? 1.0 : 3.0;
  return work;
}

void expect_all_items_once(const WeighedShares &shares, int nparts, int n)
{
  EXPECT_EQ(shares.begin(0, nparts, n), 0);
  EXPECT_EQ(shares.begin(nparts, nparts, n), n);
  for (int part = 0; part < nparts; part++) {
    EXPECT_LE(shares.begin(part, nparts, n), shares.begin(part + 1, nparts, n));
    const int begin = shares.begin(part, nparts, n);
    EXPECT_TRUE(begin % GRAIN == 0 || begin == n) << "two parts write to a cache line";
  }
}

}    // namespace

TEST(WeighedShares, AreEqualNumbersBeforeWorkIsKnownAndWhenItIsForgotten)
{
  WeighedShares shares;
  for (int way = 0; way < 2; way++) {
    for (int part = 0; part <= 5; part++)
      EXPECT_EQ(shares.begin(part, 5, N), begin_of_share(part, 5, N, GRAIN));
    shares.set_from_cost({1.0, 2.0, 3.0, 4.0, 5.0});
    EXPECT_NE(shares.begin(1, 5, N), begin_of_share(1, 5, N, GRAIN));
    shares.forget();
  }
}

TEST(WeighedShares, GetEqualWork)
{
  for (int nparts : {2, 3, 4, 7}) {
    WeighedShares shares;
    for (int list = 0; list < 20; list++) shares.set_from_cost(work_of(shares, nparts));
    const double each = (3 * N / 4 + 3.0 * N / 4) / nparts;
    for (double work : work_of(shares, nparts)) EXPECT_NEAR(work, each, 6.0 * GRAIN) << nparts;
    expect_all_items_once(shares, nparts, N);
  }
}

TEST(WeighedShares, OfItemsWithKnownWorkGetEqualWorkAtOnce)
{
  std::vector<int> work;
  for (int grain = 0; grain < N / GRAIN; grain++) work.push_back(grain < N / GRAIN / 2 ? 10 : 30);
  for (int nparts : {1, 2, 3, 4, 7}) {
    WeighedShares shares;
    shares.deal(work, nparts);
    const double each = 20.0 * N / GRAIN / nparts;
    expect_all_items_once(shares, nparts, N);
    for (int part = 0; part < nparts; part++) {
      double mine = 0.0;
      for (int i = shares.begin(part, nparts, N); i < shares.begin(part + 1, nparts, N); i += GRAIN)
        mine += work[i / GRAIN];
      EXPECT_NEAR(mine, each, 30.0) << "a grain";
    }
  }
}

TEST(WeighedShares, AreDealtOnceForFewItemsAndForNoWork)
{
  for (int n : {0, 1, 15, 16, 17, 100})
    for (int one : {0, 5}) {
      WeighedShares shares;
      shares.deal(std::vector<int>((n + GRAIN - 1) / GRAIN, one), 4);
      expect_all_items_once(shares, 4, n);
    }
}

TEST(WeighedShares, TwoPartsWithKnownWorkMeetWhereItSays)
{
  WeighedShares shares;
  shares.set_from_cost({3.0, 1.0});    // the first half has three quarters
  EXPECT_EQ(shares.begin(1, 2, 96000), 32000);
  shares.set_from_cost({2.0, 2.0});
  EXPECT_EQ(shares.begin(1, 2, 96000), 32000);
}

TEST(WeighedShares, CoverAllItemsWhateverTheirNumberAndWork)
{
  for (const std::vector<double> &work : {std::vector<double>{0.0, 0.0, 1.0, 0.0},
                                          {1.0, 0.0, 0.0, 0.0},
                                          {0.0, 0.0, 0.0, 1.0},
                                          {1e-3, 1e3, 1e-3, 1.0}})
    for (int n : {0, 1, 15, 16, 17, 40, 1001}) {
      WeighedShares shares;
      for (int list = 0; list < 3; list++) {
        shares.set_from_cost(work);
        expect_all_items_once(shares, 4, n);
      }
    }
}

TEST(WeighedShares, WithoutWorkOrWithOtherPartsTheyStayOrAreEqual)
{
  WeighedShares shares;
  shares.set_from_cost({3.0, 1.0});
  const int before = shares.begin(1, 2, N);
  shares.set_from_cost({0.0, 0.0});
  EXPECT_EQ(shares.begin(1, 2, N), before);
  EXPECT_EQ(shares.begin(1, 3, N), begin_of_share(1, 3, N, GRAIN));
}
