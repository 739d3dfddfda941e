// SPDX-License-Identifier: GPL-2.0-only
//
// Random numbers in blocks, from any place on, are those of the generator that takes one step at a
// time.

#include "unit/testing.h"

#include "kernels/motion/mars_sequence.h"

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

  void skip(int n)
  {
    for (int k = 0; k < n; k++) uniform();
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

TEST(MarsSequence, numbers_and_state_are_those_of_single_steps)
{
  for (int nbefore : {0, 1, 33, 64, 96, 97, 1000})
    for (int n : {0, 1, 2, 31, 32, 33, 63, 64, 96, 97, 98, 1023, 1024, 1025, 1056, 9999}) {
      OneByOne one(4711 + nbefore);
      one.skip(nbefore);
      std::vector<double> state = one.state();
      ASSERT_EQ(state.size(), RAN_MARS_STATE);
      std::vector<float> numbers(n + 1, -1.0f);
      MarsSequence sequence;
      sequence.start(state.data());
      sequence.draw(n, numbers.data());
      for (int k = 0; k < n; k++)
        ASSERT_EQ(static_cast<double>(numbers[k]), one.uniform())
            << k << " of " << n << " after " << nbefore;
      EXPECT_EQ(numbers[n], -1.0f) << "written beyond the end";
      sequence.put_state(state.data());
      EXPECT_EQ(state, one.state()) << n << " after " << nbefore;
    }
}

TEST(MarsSequence, may_be_entered_anywhere)
{
  MarsSequence sequence;
  for (int nbefore : {0, 50, 97})
    for (int ahead : {0, 1, 33, 1000, 4097, 48000, 1000000}) {
      OneByOne one(17 + nbefore);
      one.skip(nbefore);
      std::vector<double> state = one.state();
      sequence.start(state.data(), ahead);
      one.skip(ahead);
      sequence.put_state(state.data());
      ASSERT_EQ(state, one.state()) << ahead << " ahead, after " << nbefore;
      std::vector<float> numbers(300);
      sequence.draw(300, numbers.data());
      for (float number : numbers)
        ASSERT_EQ(static_cast<double>(number), one.uniform()) << ahead << " ahead";
    }
}

TEST(MarsSequence, calls_continue_where_the_last_one_ended)
{
  OneByOne one(1);
  const std::vector<double> state = one.state();
  MarsSequence sequence;
  sequence.start(state.data());
  for (int n = 0; n < 200; n++) {
    std::vector<float> numbers(n);
    sequence.draw(n, numbers.data());
    for (float number : numbers) ASSERT_EQ(static_cast<double>(number), one.uniform());
  }
}

TEST(MarsSequence, the_smallest_and_the_largest_numbers_are_right)
{
  for (int ahead : {0, 4096}) {
    OneByOne one(2);
    for (int k = 1; k < 98; k++) one.u[k] = k % 3 ? 0.0 : 1.0 - UNIT;
    one.c = 16777212.0 * UNIT;
    const std::vector<double> state = one.state();
    MarsSequence sequence;
    sequence.start(state.data(), ahead);
    one.skip(ahead);
    std::vector<float> numbers(5000);
    sequence.draw(5000, numbers.data());
    for (float number : numbers) ASSERT_EQ(static_cast<double>(number), one.uniform());
  }
}
