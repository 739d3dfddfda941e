// SPDX-License-Identifier: GPL-2.0-only

#include "unit/testing.h"

#include "pool/side_thread.h"

#include "pool/processors.h"

#include <chrono>

using namespace TOFU_NS;

namespace {

/** Results must not depend on the way in which the thread waits for work. */
class SideThreadThat : public testing::TestWithParam<double> {
 protected:
  SideThread::Options options() const
  {
    SideThread::Options options;
    options.processors = allowed_processors();
    options.spin = GetParam();
    return options;
  }
};

TEST_P(SideThreadThat, SeesWhatItsCallerWroteAndGivesBackWhatItWrote)
{
  SideThread thread(options());
  long mine = 0, its = 0;
  for (int round = 1; round <= 3000; round++) {
    mine = round;
    thread.start([&]() { its = 2 * mine; });
    EXPECT_TRUE(thread.busy());
    thread.join();
    EXPECT_FALSE(thread.busy());
    ASSERT_EQ(its, 2L * round);
  }
}

TEST_P(SideThreadThat, WorksWhileItsCallerDoes)
{
  SideThread thread(options());
  std::atomic<bool> go{false};
  thread.start([&]() {
    while (!go) std::this_thread::yield();
  });
  go = true;
  thread.join();
}

TEST_P(SideThreadThat, WakesUpAfterALongRest)
{
  SideThread thread(options());
  int runs = 0;
  for (int round = 0; round < 3; round++) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    thread.start([&]() { runs++; });
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    thread.join();
  }
  EXPECT_EQ(runs, 3);
}

TEST_P(SideThreadThat, HandsAnExceptionToWhoeverWaitsForItAndGoesOn)
{
  SideThread thread(options());
  thread.start([]() { throw std::runtime_error("lost"); });
  EXPECT_THROW(thread.join(), std::runtime_error);
  EXPECT_FALSE(thread.busy());
  int runs = 0;
  thread.start([&]() { runs++; });
  thread.join();
  EXPECT_EQ(runs, 1);
}

TEST_P(SideThreadThat, FinishesItsWorkBeforeItEnds)
{
  int runs = 0;
  {
    SideThread thread(options());
    thread.start([&]() {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      runs++;
    });
  }
  EXPECT_EQ(runs, 1);
}

/** The end comes before the thread has seen the work, after it has, or while it works. */
TEST_P(SideThreadThat, FinishesItsWorkWheneverItEnds)
{
  static constexpr int ROUNDS = 300;
  int runs = 0;
  for (int round = 0; round < ROUNDS; round++) {
    SideThread thread(options());
    if (round % 3 == 1) std::this_thread::sleep_for(std::chrono::microseconds(round));
    thread.start([&]() { runs++; });
  }
  EXPECT_EQ(runs, ROUNDS);
}

TEST_P(SideThreadThat, HasNothingToWaitForAtFirst)
{
  SideThread thread(options());
  thread.join();
  EXPECT_FALSE(thread.busy());
}

INSTANTIATE_TEST_SUITE_P(Spins, SideThreadThat, testing::Values(0.0, 2e-4, 5e-2),
                         [](const auto &info) {
                           return std::to_string(static_cast<int>(info.param * 1e6)) + "us";
                         });

}    // namespace
