// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_BASE_SUM_ARRAY_H
#define TOFU_BASE_SUM_ARRAY_H

#include "aligned_array.h"

#include <algorithm>
#include <cstddef>

namespace TOFU_NS {

/** Numbers that kernels add to; 0 before.  The code that reads the sums sets them to 0 again while
    they are in the L1 cache, which spares a pass over the array in each step. */
class SumArray {
 public:
  /** n numbers, all of them 0.

      \throws std::bad_alloc */
  double *take(std::size_t n)
  {
    const double *const before = array_.data();
    double *const numbers = array_.room(n);
    if (numbers != before) nzeros_ = 0;
    if (n > nzeros_) std::fill(numbers + nzeros_, numbers + n, 0.0);
    taken_ = std::max(n, nzeros_);
    nzeros_ = 0;
    return numbers;
  }

  /** To be called when all numbers of take() are 0 again; not if an error has prevented that. */
  void give_back()
  {
    nzeros_ = std::max(nzeros_, taken_);
    taken_ = 0;
  }

  double *data() { return array_.data(); }
  std::size_t nbytes() const { return array_.nbytes(); }

 private:
  AlignedArray<double> array_;
  std::size_t nzeros_ = 0;    // known to be 0, from the begin of the array
  std::size_t taken_ = 0;
};

}    // namespace TOFU_NS

#endif
