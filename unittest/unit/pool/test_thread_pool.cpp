// SPDX-License-Identifier: GPL-2.0-only

#include "unit/errors.h"

#include "pool/thread_pool.h"

#include "pool/processors.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace TOFU_NS;
using TOFU_TEST::message_of;

namespace {

// the pool has as many threads as requested on any machine: they are not bound to these processors

ThreadPool::Options threads(int n, double spin = 1e-4)
{
  ThreadPool::Options options;
  options.processors.resize(n);
  std::iota(options.processors.begin(), options.processors.end(), 0);
  options.spin = spin;
  return options;
}

TEST(ThreadPool, DoesEveryPartOnceWhateverTheNumberOfThreads)
{
  for (int nthreads : {1, 2, 3, 8}) {
    ThreadPool pool(threads(nthreads));
    pool.grow(nthreads);
    EXPECT_EQ(pool.nthreads(), nthreads);
    for (int nparts : {1, 2, 5, 64}) {
      std::vector<int> done(nparts, 0);
      for (int repeat = 0; repeat < 100; repeat++)
        pool.run(nparts, [&](int part) { done[part]++; });
      for (int n : done) EXPECT_EQ(n, 100);
    }
  }
}

TEST(ThreadPool, ShowsPartsWhatTheCallerWroteAndTheCallerWhatTheyWrote)
{
  ThreadPool pool(threads(4));
  pool.grow(4);
  std::vector<int> in(4), out(4);
  for (int round = 0; round < 5000; round++) {
    for (int &value : in) value = round;
    pool.run(4, [&](int part) { out[part] = in[part] + part; });
    for (int part = 0; part < 4; part++) ASSERT_EQ(out[part], round + part);
  }
}

TEST(ThreadPool, WakesThreadsThatHaveGoneToSleep)
{
  ThreadPool pool(threads(3, 0.0));
  pool.grow(3);
  std::atomic<int> done{0};
  for (int round = 0; round < 50; round++) {
    std::this_thread::sleep_for(std::chrono::milliseconds(round % 3));
    pool.run(3, [&](int) { done++; });
  }
  EXPECT_EQ(done, 150);
}

TEST(ThreadPool, ThrowsTheExceptionOfTheLowestPartAfterAllHaveEnded)
{
  ThreadPool pool(threads(4));
  pool.grow(4);
  for (int round = 0; round < 100; round++) {
    std::atomic<int> ended{0};
    const std::string caught = message_of([&] {
      pool.run(4, [&](int part) {
        ended++;
        if (part == 1 || part == 3) throw std::runtime_error(std::to_string(part));
      });
    });
    EXPECT_EQ(caught, "1");
    EXPECT_EQ(ended, 4);
  }
  int done = 0;
  pool.run(1, [&](int) { done++; });
  EXPECT_EQ(done, 1);
}

TEST(ThreadPool, ARunWithinAPartIsDoneByThatThreadAlone)
{
  ThreadPool pool(threads(2));
  pool.grow(2);
  std::vector<int> done(4, 0);
  pool.run(2, [&](int outer) { pool.run(2, [&](int inner) { done[2 * outer + inner]++; }); });
  EXPECT_EQ(done, std::vector<int>(4, 1));
}

TEST(ThreadPool, IsSharedByCallersThatComeAtTheSameTime)
{
  ThreadPool pool(threads(3));
  pool.grow(3);
  std::atomic<int> done{0};
  auto call = [&]() {
    for (int round = 0; round < 2000; round++) pool.run(3, [&](int) { done++; });
  };
  std::thread other(call);
  call();
  other.join();
  EXPECT_EQ(done, 12000);
}

TEST(ThreadPool, PartsThatRunTogetherMayWaitForEachOther)
{
  ThreadPool pool(threads(4));
  pool.grow(4);
  for (int nparts : {1, 2, 3, 4})
    for (int run = 0; run < 50; run++) {
      std::atomic<int> present{0};
      ASSERT_TRUE(pool.run_together(nparts, [&](int) {
        present++;
        while (present.load() < nparts) std::this_thread::yield();
      }));
    }
}

TEST(ThreadPool, RunsNothingTogetherWithoutAThreadForEachPart)
{
  ThreadPool pool(threads(2));
  pool.grow(2);
  EXPECT_FALSE(pool.run_together(3, [](int) { FAIL(); }));
  pool.run(2, [&](int) { EXPECT_FALSE(pool.run_together(2, [](int) { FAIL(); })); });
}

TEST(ThreadPool, GrowsBetweenRunsUpToItsProcessors)
{
  ThreadPool pool(threads(3));
  int sum = 0;
  pool.run(4, [&](int part) { sum += part; });    // one thread runs the parts in order
  EXPECT_EQ(sum, 6);
  for (int wanted : {2, 1, 3, 100}) {
    pool.grow(wanted);
    std::atomic<int> done{0};
    for (int round = 0; round < 1000; round++) pool.run(5, [&](int) { done++; });
    EXPECT_EQ(done, 5000);
  }
  EXPECT_EQ(pool.nthreads(), 3);
}

TEST(ThreadPool, GivesTheCallerItsProcessorsBack)
{
  const std::vector<int> before = allowed_processors();
  {
    ThreadPool::Options options;
    options.processors = before;
    options.pin = true;
    ThreadPool pool(options);
    pool.grow(2);
    std::atomic<int> done{0};
    pool.run(2, [&](int) { done++; });
    EXPECT_EQ(done, 2);
  }
  EXPECT_EQ(allowed_processors(), before);
}

TEST(ThreadPool, SharesCoverARangeWithoutOverlap)
{
  for (int n : {0, 1, 15, 16, 17, 1000})
    for (int nparts : {1, 2, 3, 7, 64})
      for (int grain : {1, 16}) {
        EXPECT_EQ(begin_of_share(0, nparts, n, grain), 0);
        EXPECT_EQ(begin_of_share(nparts, nparts, n, grain), n);
        for (int part = 0; part < nparts; part++) {
          const int begin = begin_of_share(part, nparts, n, grain);
          EXPECT_LE(begin, begin_of_share(part + 1, nparts, n, grain));
          EXPECT_TRUE(begin % grain == 0 || begin == n);
        }
      }
}

ProcessorPlace pairs_of_two(int processor)
{
  return {processor / 2};
}

ProcessorPlace alone(int processor)
{
  return {processor};
}

/** Even processors in one half of the machine, odd ones in the other. */
ProcessorPlace two_halves(int processor)
{
  return {processor / 2 + 4 * (processor % 2), processor % 2};
}

/** Four large cores, then four small ones. */
ProcessorPlace large_and_small(int processor)
{
  return {processor, 0, processor >= 4};
}

TEST(Processors, OfAProcessThatSharesThemWithNobodyAreAllItMayUse)
{
  EXPECT_EQ(processors_for({{0, 1}, {2, 3}}, 1, alone), (std::vector<int>{2, 3}));
}

TEST(Processors, AreDealtEvenlyToProcessesThatWereNotBound)
{
  const std::vector<int> all = {0, 1, 2, 3};
  EXPECT_EQ(processors_for({all, all}, 0, alone), (std::vector<int>{0, 1}));
  EXPECT_EQ(processors_for({all, all}, 1, alone), (std::vector<int>{2, 3}));
  EXPECT_EQ(processors_for({all, all, all}, 0, alone), (std::vector<int>{0}));
  EXPECT_EQ(processors_for({all, all, all}, 2, alone), (std::vector<int>{2, 3}));
}

TEST(Processors, AreNoneForSomeWhereThereAreMoreProcesses)
{
  std::size_t sum = 0;
  for (int me = 0; me < 3; me++) sum += processors_for({{0, 1}, {0, 1}, {0, 1}}, me, alone).size();
  EXPECT_EQ(sum, 2U);
}

TEST(Processors, OfOneCoreStayWithOneProcessAndItsSecondOnesComeLast)
{
  const std::vector<int> all = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(processors_for({all, all}, 1, pairs_of_two), (std::vector<int>{4, 6, 5, 7}));
}

TEST(Processors, ThatOnlySomeProcessesShareAreNotGivenOut)
{
  EXPECT_TRUE(processors_for({{0, 1}, {1, 2}, {2, 3}}, 0, alone).empty());
  EXPECT_EQ(processors_for({{0, 1}, {0, 1}, {2}}, 2, alone), (std::vector<int>{2}));
}

TEST(Processors, OfOneProcessAreNearEachOther)
{
  const std::vector<int> all = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(processors_for({all, all}, 0, two_halves), (std::vector<int>{0, 2, 4, 6}));
  EXPECT_EQ(processors_for({all, all}, 1, two_halves), (std::vector<int>{1, 3, 5, 7}));
}

TEST(Processors, OfSmallCoresAreTakenOnlyWhereProcessesAreMoreThanLargeOnes)
{
  const std::vector<int> all = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(processors_for({all}, 0, large_and_small), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(processors_for({all, all}, 1, large_and_small), (std::vector<int>{2, 3}));
  EXPECT_EQ(processors_for(std::vector<std::vector<int>>(8, all), 6, large_and_small),
            (std::vector<int>{6}));
  EXPECT_EQ(processors_for({{4, 5, 6}}, 0, large_and_small), (std::vector<int>{4, 5, 6}));
}

}    // namespace
