// SPDX-License-Identifier: GPL-2.0-only

#include "unit/errors.h"

#include "pool/part_times.h"
#include "pool/thread_pool.h"

#include <ctime>
#include <thread>

using namespace TOFU_NS;
using TOFU_TEST::message_of;

namespace {

constexpr double WORK = 1e-3, CLOCK = 1e-4;    // seconds; far more than reading the clock takes

double processor_time()
{
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void work(double seconds)
{
  const double end = processor_time() + seconds;
  while (processor_time() < end) {}
}

/** A pool whose runs are timed. */
class PartTimesOf : public testing::TestWithParam<int> {
 protected:
  PartTimesOf() : pool(options(GetParam()))
  {
    pool.grow(GetParam());
    ThreadPool::set_times(&times);
    times.begin();
  }
  ~PartTimesOf() override { ThreadPool::set_times(nullptr); }

  static ThreadPool::Options options(int nthreads)
  {
    ThreadPool::Options options;
    options.processors.resize(nthreads);
    options.spin = 1e-4;
    return options;
  }

  PartTimes::Sums take()
  {
    PartTimes::Sums sums;
    for (const PartTimes::Fork &fork : times.take()) sums.add(fork);
    return sums;
  }

  PartTimes times;
  ThreadPool pool;
};

TEST_P(PartTimesOf, HaveTheWorkOfAllPartsAndOfTheLongest)
{
  for (int fork = 0; fork < 2; fork++)
    pool.run(4, [](int part) { work(part == 2 ? 3.0 * WORK : WORK); });
  const PartTimes::Sums sums = take();
  EXPECT_EQ(sums.nforks, 2);
  EXPECT_GE(sums.longest, 2.0 * (3.0 * WORK - CLOCK));
  EXPECT_GE(sums.parts - sums.longest, 2.0 * 3.0 * (WORK - CLOCK));
}

TEST_P(PartTimesOf, HaveTheWorkOfTheCallerOutOfParts)
{
  work(WORK);
  pool.run(2, [](int) { work(WORK); });
  work(WORK);
  const PartTimes::Sums sums = take();
  EXPECT_GE(sums.alone, 2.0 * (WORK - CLOCK));
  EXPECT_EQ(take().nforks, 0) << "what was taken has gone";
}

TEST_P(PartTimesOf, CountARunOfOnePartAsWorkOfTheCaller)
{
  pool.run(1, [](int) { work(WORK); });
  const PartTimes::Sums sums = take();
  EXPECT_EQ(sums.nforks, 0);
  EXPECT_EQ(sums.parts, 0.0);
  EXPECT_GE(sums.alone, WORK - CLOCK);
}

TEST_P(PartTimesOf, CountARunWithinAPartAsWorkOfThatPart)
{
  pool.run(2, [&](int) { pool.run(3, [](int) { work(WORK); }); });
  const PartTimes::Sums sums = take();
  EXPECT_EQ(sums.nforks, 1);
  EXPECT_GE(sums.longest, 3.0 * (WORK - CLOCK));
  EXPECT_GE(sums.parts - sums.longest, 3.0 * (WORK - CLOCK));
}

TEST_P(PartTimesOf, EndWithPartsThatThrow)
{
  EXPECT_EQ(message_of([&] {
              pool.run(3, [](int part) {
                if (part == 0) throw std::runtime_error("first");
              });
            }),
            "first");
  EXPECT_FALSE(times.is_open());
  EXPECT_EQ(take().nforks, 1);
}

TEST_P(PartTimesOf, AreNotTakenOfOtherThreadsAndAfterTheEnd)
{
  std::thread([&] { pool.run(2, [](int) {}); }).join();
  ThreadPool::set_times(nullptr);
  pool.run(2, [](int) {});
  EXPECT_EQ(take().nforks, 0);
}

INSTANTIATE_TEST_SUITE_P(Threads, PartTimesOf, testing::Values(1, 3));

}    // namespace
