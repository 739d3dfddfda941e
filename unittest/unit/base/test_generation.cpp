// SPDX-License-Identifier: GPL-2.0-only
//
// A number that one thread raises and for which others wait, spinning or asleep.

#include "unit/testing.h"

#include "base/generation.h"

#include <thread>

using namespace TOFU_NS;

TEST(Generation, AWaiterForAnOldNumberReturnsAtOnce)
{
  Generation generation;
  EXPECT_EQ(generation.raise(), 1u);
  generation.await(0, []() {
    ADD_FAILURE() << "it looked twice";
    return true;
  });
  EXPECT_EQ(generation.number(), 1u);
}

TEST(Generation, ResetBeginsAgainAtZero)
{
  Generation generation;
  generation.raise();
  generation.reset();
  EXPECT_EQ(generation.number(), 0u);
}

/** Waiting threads of one kind follow a number to its last value, and read data written before each
    value. */
static void follow(int nwaiters, double spin, unsigned last_number)
{
  Generation generation;
  std::vector<Generation> seen(nwaiters);
  unsigned written = 0;
  std::vector<unsigned> wrong(nwaiters, 0);
  std::vector<std::thread> waiters;
  for (int w = 0; w < nwaiters; w++)
    waiters.emplace_back([&, w]() {
      for (unsigned last = 0; last < last_number; last++) {
        generation.await(last, SpinFor(spin));
        if (written != last + 1) wrong[w]++;
        seen[w].raise();
      }
    });
  for (unsigned next = 1; next <= last_number; next++) {
    written = next;
    generation.raise();
    for (Generation &one : seen) one.await(next - 1, SpinFor(spin));
  }
  for (std::thread &waiter : waiters) waiter.join();
  EXPECT_EQ(wrong, std::vector<unsigned>(nwaiters, 0));
}

TEST(Generation, WaitersThatLookMissNoNumber)
{
  follow(1, 1.0, 3000);
}

TEST(Generation, MoreWaitersThatLookThanProcessorsMissNoNumber)
{
  follow(3, 1.0, 300);    // where processors are few, each number takes a turn of the scheduler
}

TEST(Generation, WaitersThatSleepAtOnceMissNoNumber)
{
  follow(3, 0.0, 3000);
}
