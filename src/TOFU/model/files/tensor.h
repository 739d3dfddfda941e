// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_MODEL_TENSOR_H
#define TOFU_MODEL_TENSOR_H

#include <cstdint>
#include <string>
#include <vector>

namespace TOFU_NS {

/** Numbers or texts with a shape, from a file; the last index is the fastest. */
struct Tensor {
  std::vector<std::int64_t> shape;
  std::vector<double> numbers;    // of all kinds
  std::vector<std::string> texts;
  bool single_precision = false;

  std::size_t size() const { return numbers.size(); }
  std::int64_t dim(std::size_t k) const { return k < shape.size() ? shape[k] : -1; }
};

}    // namespace TOFU_NS

#endif
