// SPDX-License-Identifier: GPL-2.0-only
//
// Cache lines that other threads read before their owner writes to them.
//
// A core that writes to a line of which another core has a copy must ask for its ownership first.
// On a Zen 4 writing to many such lines in a row takes 8 ns each if the two cores share a cache, 29
// ns if they do not, and 3.5 ns if the core owns the lines.  A write that changes nothing, as soon
// as others have read, asks for ownership while the thread computes.  An instruction that
// prefetches for writing does nothing there for a line that the core itself still has for reading.

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
inline void own_lines(double *numbers, std::size_t n)
{
  constexpr std::size_t LINE = 8;    // numbers
  const auto write = [numbers](std::size_t k) {
    volatile double *const number = numbers + k;    // or compilers would leave it out
    *number = *number;
  };
  for (std::size_t k = 0; k < n; k += LINE) write(k);
  if (n > 0) write(n - 1);    // where numbers do not begin a line
}

}    // namespace TOFU_NS

#endif
