// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_PREFETCH_H
#define TOFU_PREFETCH_H

#include <cstddef>

namespace TOFU_NS {

/** Prefetch the cache lines of n numbers that are about to be written.  Where other cores have
    copies of a line, a write has to invalidate these; prefetches of many lines overlap. */
inline void prefetch_for_writing(const double *numbers, std::size_t n)
{
  constexpr std::size_t LINE = 8;
  for (std::size_t k = 0; k < n; k += LINE) {
#if defined(__x86_64__)    // what compilers make without -mprfchw asks for lines to be read
    asm volatile("prefetchw %0" : : "m"(numbers[k]));
#else
    __builtin_prefetch(numbers + k, 1);
#endif
  }
}

}    // namespace TOFU_NS

#endif
