// SPDX-License-Identifier: GPL-2.0-only
//
// Owners write to all lines, which keep their bits, and not before all readers have read.

#include "base/shared_lines.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace TOFU_NS;

TEST(SharedLines, NumbersKeepTheirBits)
{
  const std::vector<double> some{1.5, -0.0, NAN, -INFINITY,
                                 std::numeric_limits<double>::denorm_min()};
  for (std::size_t n = 0; n < 40; n++) {
    std::vector<double> numbers(n);
    for (std::size_t k = 0; k < n; k++) numbers[k] = some[k % some.size()];
    const std::vector<double> before = numbers;
    own_lines(numbers.data(), n);
    EXPECT_EQ(n ? std::memcmp(numbers.data(), before.data(), n * sizeof(double)) : 0, 0) << n;
  }
}

/** A page that may be written to and, behind it, one that may not. */
class TwoPages {
 public:
  TwoPages() : size_(sysconf(_SC_PAGESIZE))
  {
    void *const pages =
        mmap(nullptr, 2 * size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    first_ = static_cast<char *>(pages);
    mprotect(first_ + size_, size_, PROT_READ);
  }
  ~TwoPages() { munmap(first_, 2 * size_); }
  TwoPages(const TwoPages &) = delete;
  TwoPages &operator=(const TwoPages &) = delete;

  /** So many numbers before the second page. */
  double *before_second(int n) { return reinterpret_cast<double *>(first_ + size_) - n; }

 private:
  const std::size_t size_;
  char *first_;
};

TEST(SharedLinesDeathTest, EachLineIsWrittenToAndNoOther)
{
  TwoPages pages;
  for (const int n : {1, 7, 8, 9, 20})
    for (int before = 0; before <= n; before++) {
      double *const numbers = pages.before_second(before);
      if (before == n)
        own_lines(numbers, n);
      else
        EXPECT_DEATH(own_lines(numbers, n), "") << n << " numbers, " << before << " before";
    }
}

TEST(SharedLines, NoReaderIsLeftWhenEachHasRead)
{
  ReadersLeft readers;
  EXPECT_TRUE(readers.none());
  for (int nreaders = 1; nreaders < 5; nreaders++) {
    readers.begin(nreaders);
    for (int n = 0; n < nreaders; n++) {
      EXPECT_FALSE(readers.none());
      readers.one_has_read();
    }
    EXPECT_TRUE(readers.none());
  }
}

/** Each thread owns a part of the numbers and reads all, as parts of a rank do in each step.  The
    sanitizer for threads finds a write that comes before another thread has read. */
TEST(SharedLines, OwnersWriteAfterAllThreadsHaveRead)
{
  constexpr int NTHREADS = 4, NOWN = 64;
  std::vector<double> numbers(NTHREADS * NOWN, 1.0), sums(NTHREADS);
  ReadersLeft readers;
  for (int round = 0; round < 50; round++) {
    readers.begin(NTHREADS);
    std::vector<std::thread> threads;
    for (int me = 0; me < NTHREADS; me++)
      threads.emplace_back([&, me] {
        sums[me] = std::accumulate(numbers.begin(), numbers.end(), 0.0);
        readers.one_has_read();
        while (!readers.none()) std::this_thread::yield();
        own_lines(numbers.data() + me * NOWN, NOWN);
        for (int k = 0; k < NOWN; k++) numbers[me * NOWN + k] += 1.0;
      });
    for (std::thread &thread : threads) thread.join();
    for (double sum : sums) EXPECT_EQ(sum, (round + 1.0) * NTHREADS * NOWN);
  }
}
