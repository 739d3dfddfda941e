// SPDX-License-Identifier: GPL-2.0-only
//
// Generation: a number that one thread raises and others wait for.  A waiter polls for a while,
// then sleeps.

#ifndef TOFU_BASE_GENERATION_H
#define TOFU_BASE_GENERATION_H

#include "relax.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace TOFU_NS {

class Generation {
 public:
  /** The current number.  What the raising thread wrote before it is visible to the caller. */
  unsigned number() const { return number_.load(std::memory_order_acquire); }

  /** Raise the number by one and wake the threads that sleep.  Data that the caller wrote before is
      visible to them.

      Either this thread reads that a waiter is about to sleep, or the waiter reads the new number:
      both variables are accessed in one total order (seq_cst).

      \return   the new number */
  unsigned raise()
  {
    const unsigned raised = number_.fetch_add(1) + 1;
    if (nasleep_.load() > 0) {
      {
        const std::lock_guard<std::mutex> lock(mutex_);
      }
      wake_.notify_all();
    }
    return raised;
  }

  /** Return when the number differs from `last`.

      \param last           number that the caller has read before
      \param keep_polling   called between two polls; false: the thread goes to sleep */
  template <class KeepPolling> void await(unsigned last, KeepPolling &&keep_polling)
  {
    while (number() == last) {
      if (keep_polling()) continue;
      std::unique_lock<std::mutex> lock(mutex_);
      nasleep_++;
      wake_.wait(lock, [&]() { return number_.load() != last; });
      nasleep_--;
    }
  }

  /** Back to 0; no thread may wait. */
  void reset() { number_ = 0; }

 private:
  alignas(64) std::atomic<unsigned> number_{0};
  alignas(64) std::atomic<int> nasleep_{0};
  std::mutex mutex_;
  std::condition_variable wake_;
};

/** For Generation::await(): poll for some seconds. */
class SpinFor {
 public:
  explicit SpinFor(double seconds) : seconds_(seconds), start_(Clock::now()) {}

  bool operator()()
  {
    relax();
    return ++npolls_ % POLLS_PER_CLOCK != 0 ||
        std::chrono::duration<double>(Clock::now() - start_).count() < seconds_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr unsigned POLLS_PER_CLOCK = 64;    // the clock costs as much as a few polls

  const double seconds_;
  const Clock::time_point start_;
  unsigned npolls_ = 0;
};

}    // namespace TOFU_NS

#endif
