// SPDX-License-Identifier: GPL-2.0-only
//
// Vectors that grow by little: std::vector doubles its memory.

#ifndef TOFU_BASE_TIGHT_VECTOR_H
#define TOFU_BASE_TIGHT_VECTOR_H

#include <cstddef>
#include <vector>

namespace TOFU_NS {

/** Resize for an array whose size changes by some percent from step to step. */
template <class T> void resize_tightly(std::vector<T> &numbers, std::size_t n)
{
  if (n > numbers.capacity()) numbers.reserve(n + n / 32);
  numbers.resize(n);
}

/** Remove all numbers, and give back memory that was for many more of them than there were. */
template <class T> void clear_tightly(std::vector<T> &numbers)
{
  const std::size_t n = numbers.size(), wanted = n + n / 16;
  numbers.clear();
  if (numbers.capacity() <= n + n / 8) return;
  numbers.shrink_to_fit();
  numbers.reserve(wanted);
}

}    // namespace TOFU_NS

#endif
