// SPDX-License-Identifier: GPL-2.0-only
//
// Cache lines that other threads read and their owner then writes to.
//
// A line of which another core has a copy can be written to only after a message to that core and
// an answer.  If the line has left the caches in between, this takes eight times as long as for a
// line that no other core has (29 instead of 3.6 ns for each of many in a row, AMD Zen 4).  A
// write that changes nothing, as soon as others have read, has the message under way while the
// owner computes.  Instructions that prefetch for writing do not help: for a line that the core has
// itself, if only to read, they do nothing.

#ifndef TOFU_BASE_SHARED_LINES_H
#define TOFU_BASE_SHARED_LINES_H

#include <atomic>
#include <cstddef>

namespace TOFU_NS {

/** Threads that have still to read something, before its owners write to it. */
class ReadersLeft {
 public:
  /** Before threads start that are to read. */
  void begin(int nreaders) { n_.store(nreaders, std::memory_order_relaxed); }

  /** The thread that calls this has read what it needs. */
  void one_has_read() { n_.fetch_sub(1, std::memory_order_release); }

  /** Whether all have; what they have read may be written to then. */
  bool none() const { return n_.load(std::memory_order_acquire) == 0; }

 private:
  static constexpr std::size_t LINE = 64;    // bytes

  alignas(LINE) std::atomic<int> n_{0};
};

/** Write to each cache line of n numbers, without changing them.  Nothing else may write to these
    numbers, and no other thread read them, meanwhile. */
inline void take_lines(double *numbers, std::size_t n)
{
  constexpr std::size_t LINE = 8;    // numbers
  for (std::size_t k = 0; k < n; k += LINE) {
    volatile double *const number = numbers + k;    // or compilers would leave it out
    *number = *number;
  }
}

}    // namespace TOFU_NS

#endif
