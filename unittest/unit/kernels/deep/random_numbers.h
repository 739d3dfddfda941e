// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_TEST_RANDOM_NUMBERS_H
#define TOFU_TEST_RANDOM_NUMBERS_H

#include <random>
#include <vector>

namespace TOFU_TEST {

/** Random numbers for the parameters of a model. */
class Random {
 public:
  explicit Random(unsigned seed) : engine(seed) {}
  double number(double low, double high)
  {
    return std::uniform_real_distribution<>(low, high)(engine);
  }
  /** Numbers between -width and width. */
  std::vector<double> numbers(std::size_t n, double width)
  {
    std::vector<double> result(n);
    for (double &x : result) x = number(-width, width);
    return result;
  }

 private:
  std::mt19937 engine;
};

}    // namespace TOFU_TEST

#endif
