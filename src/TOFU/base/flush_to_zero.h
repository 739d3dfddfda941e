// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_BASE_FLUSH_TO_ZERO_H
#define TOFU_BASE_FLUSH_TO_ZERO_H

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace TOFU_NS {

/** While an object exists, denormal results of this thread are flushed to zero.

    Powers of the distance to the atom far away, with which rows are filled up, are that small in
    single precision, and some error functions and exponentials of it in double.  Processors take
    tens of cycles, or more than a hundred, for each vector with such a result.  On ARM such
    operands are zero as well.  On processors other than x86-64 and 64-bit ARM nothing changes. */
class FlushToZero {
 public:
  FlushToZero() : before_(control() & FLUSH) { set_control(control() | FLUSH); }
  FlushToZero(const FlushToZero &) = delete;
  FlushToZero &operator=(const FlushToZero &) = delete;
  ~FlushToZero() { set_control((control() & ~FLUSH) | before_); }

 private:
#if defined(__x86_64__)
  static constexpr std::uint64_t FLUSH = 1 << 15;
  static std::uint64_t control()
  {
    return _mm_getcsr();
  }
  static void set_control(std::uint64_t word)
  {
    _mm_setcsr(static_cast<unsigned>(word));
  }
#elif defined(__aarch64__)
  static constexpr std::uint64_t FLUSH = 1 << 24;
  static std::uint64_t control()
  {
    std::uint64_t word;
    asm volatile("mrs %0, fpcr" : "=r"(word));
    return word;
  }
  static void set_control(std::uint64_t word)
  {
    asm volatile("msr fpcr, %0" : : "r"(word) : "memory");
  }
#else
  static constexpr std::uint64_t FLUSH = 0;
  static std::uint64_t control()
  {
    return 0;
  }
  static void set_control(std::uint64_t) {}
#endif

  const std::uint64_t before_;
};

}    // namespace TOFU_NS

#endif
