// SPDX-License-Identifier: GPL-2.0-only
//
// Random numbers in blocks are those of the generator that takes one step at a time.

#include "kernels/ran_mars_block.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

using namespace TOFU_NS;

namespace {

constexpr double UNIT = 1.0 / (1 << 24);

/** The generator with one number at a time, in double precision, with positions that wrap
    around. */
struct OneByOne {
  double u[98], c = 362436.0 * UNIT;
  int i = 97, j = 33;

  explicit OneByOne(unsigned seed)
  {
    std::mt19937 random(seed);
    for (double &value : u) value = (random() >> 8) * UNIT;
    u[0] = 0.0;
  }

  static double plus_one_if_negative(double number) { return number < 0.0 ? number + 1.0 : number; }

  double uniform()
  {
    u[i] = plus_one_if_negative(u[i] - u[j]);
    const double from = u[i];
    i = i == 1 ? 97 : i - 1;
    j = j == 1 ? 97 : j - 1;
    c -= 7654321.0 * UNIT;
    if (c < 0.0) c += 16777213.0 * UNIT;
    return plus_one_if_negative(from - c);
  }

  std::vector<double> state() const
  {
    std::vector<double> all(u, u + 98);
    for (double more : {1.0 * i, 1.0 * j, c, 7654321.0 * UNIT, 16777213.0 * UNIT})
      all.push_back(more);
    return all;
  }
};

}    // namespace

TEST(RanMarsBlock, numbers_and_state_are_those_of_single_steps)
{
  for (int nbefore : {0, 1, 33, 64, 96, 97, 1000})
    for (int n : {0, 1, 2, 31, 32, 33, 63, 64, 96, 97, 98, 1023, 1024, 1025, 1056, 9999}) {
      OneByOne one(4711 + nbefore);
      for (int k = 0; k < nbefore; k++) one.uniform();
      std::vector<double> state = one.state();
      ASSERT_EQ(state.size(), RAN_MARS_STATE);
      std::vector<float> numbers(n + 1, -1.0f);
      ran_mars_block(state.data(), n, numbers.data());
      for (int k = 0; k < n; k++)
        ASSERT_EQ(static_cast<double>(numbers[k]), one.uniform())
            << k << " of " << n << " after " << nbefore;
      EXPECT_EQ(numbers[n], -1.0f) << "written beyond the end";
      EXPECT_EQ(state, one.state()) << n << " after " << nbefore;
    }
}

TEST(RanMarsBlock, calls_continue_where_the_last_one_ended)
{
  OneByOne one(1);
  std::vector<double> state = one.state();
  for (int n = 0; n < 200; n++) {
    std::vector<float> numbers(n);
    ran_mars_block(state.data(), n, numbers.data());
    for (float number : numbers) ASSERT_EQ(static_cast<double>(number), one.uniform());
  }
}

TEST(RanMarsBlock, the_smallest_and_the_largest_numbers_are_right)
{
  OneByOne one(2);
  for (int k = 1; k < 98; k++) one.u[k] = k % 3 ? 0.0 : 1.0 - UNIT;
  one.c = 16777212.0 * UNIT;
  std::vector<double> state = one.state();
  std::vector<float> numbers(5000);
  ran_mars_block(state.data(), 5000, numbers.data());
  for (float number : numbers) ASSERT_EQ(static_cast<double>(number), one.uniform());
}
