// SPDX-License-Identifier: GPL-2.0-only
//
// Shares from which parts take pieces give out each item once.

#include "unit/testing.h"

#include "base/helped_shares.h"

#include <atomic>
#include <thread>

using namespace TOFU_NS;

TEST(HelpedShares, a_part_by_itself_gets_its_own_share_and_then_the_ends_of_the_others)
{
  HelpedShares shares(3, 75, 10);
  std::vector<int> ends;
  int first, last, n = 0;
  while (shares.next(1, first, last)) {
    ends.insert(ends.end(), {first, last});
    n += last - first;
  }
  EXPECT_EQ(
      ends,
      (std::vector<int>{25, 35, 35, 45, 45, 50, 15, 25, 65, 75, 5, 15, 55, 65, 0, 5, 50, 55}));
  EXPECT_EQ(n, 75);
  EXPECT_FALSE(shares.next(0, first, last));
}

TEST(HelpedShares, parts_that_are_equally_fast_get_their_own)
{
  HelpedShares shares(2, 64, 8);
  int first, last;
  for (int k = 0; k < 4; k++)
    for (int part = 0; part < 2; part++) {
      ASSERT_TRUE(shares.next(part, first, last));
      EXPECT_EQ(first, 32 * part + 8 * k);
    }
  EXPECT_FALSE(shares.next(0, first, last));
  EXPECT_FALSE(shares.next(1, first, last));
}

TEST(HelpedShares, parts_may_do_their_own_shares_alone)
{
  HelpedShares shares(2, 61, 8, false);
  int first, last;
  ASSERT_TRUE(shares.next(1, first, last));
  EXPECT_EQ(first, 30);
  EXPECT_EQ(last, 61);
  EXPECT_FALSE(shares.next(1, first, last));
  EXPECT_TRUE(shares.next(0, first, last));
}

TEST(HelpedShares, there_may_be_fewer_items_than_parts_or_none)
{
  int first, last;
  HelpedShares none(4, 0, 8);
  for (int part = 0; part < 4; part++) EXPECT_FALSE(none.next(part, first, last));
  HelpedShares few(4, 3, 8);
  for (int k = 0; k < 3; k++) {
    ASSERT_TRUE(few.next(0, first, last));
    EXPECT_EQ(last, first + 1);
  }
  for (int part = 0; part < 4; part++) EXPECT_FALSE(few.next(part, first, last));
}

TEST(HelpedShares, each_item_is_given_out_once_whatever_the_speed_of_parts)
{
  constexpr int N = 20011, PARTS = 4;
  for (int round = 0; round < 20; round++) {
    HelpedShares shares(PARTS, N, 16);
    std::vector<std::atomic<int>> times(N);
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    for (int part = 0; part < PARTS; part++)
      threads.emplace_back([&, part]() {
        ready++;
        while (ready < PARTS) std::this_thread::yield();
        int first, last;
        while (shares.next(part, first, last)) {
          for (int i = first; i < last; i++) times[i]++;
          for (volatile int k = 0; k < 300 * part; k = k + 1) {}
        }
      });
    for (std::thread &thread : threads) thread.join();
    for (int i = 0; i < N; i++) ASSERT_EQ(times[i], 1) << i;
  }
}
