// SPDX-License-Identifier: GPL-2.0-only

#include "ran_mars_block.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace TOFU_NS {

namespace {

  constexpr int LONG_LAG = 97, SHORT_LAG = 33;
  constexpr int BLOCK = 32;             // successors at a time; at most SHORT_LAG
  constexpr int WINDOW = 32 * BLOCK;    // numbers between two moves of the history
  constexpr int32_t ONE = 1 << 24;      // 1.0
  constexpr int32_t FRACTION = ONE - 1;

  enum Slot { FIBONACCI = 0, LONG_POSITION = 98, SHORT_POSITION, ARITHMETIC, STEP, MODULUS };

  int32_t to_integer(double number)
  {
    return static_cast<int32_t>(number * ONE);
  }

  double to_number(int32_t integer)
  {
    return static_cast<double>(integer) / ONE;
  }

  // positions go down from 97 to 1, and to 97 again

  int back_by(int position, int steps)
  {
    const int left = position - steps % LONG_LAG;
    return left < 1 ? left + LONG_LAG : left;
  }

  void block(int32_t *history, int32_t *arithmetic, int32_t step, int32_t modulus, float *numbers)
  {
    for (int k = 0; k < BLOCK; k++)
      history[k + LONG_LAG] = (history[k] - history[k + LONG_LAG - SHORT_LAG]) & FRACTION;
    for (int k = 0; k < BLOCK; k++) {
      const int32_t number = (history[k + LONG_LAG] - arithmetic[k]) & FRACTION;
      numbers[k] = static_cast<float>(number) * (1.0f / ONE);
    }
    for (int k = 0; k < BLOCK; k++) {
      const int32_t next = arithmetic[k] - step;
      arithmetic[k] = next + ((next >> 31) & modulus);    // if it is negative
    }
  }

}    // namespace

/* ---------------------------------------------------------------------- */

void ran_mars_block(double *state, int n, float *numbers)
{
  const int position = static_cast<int>(state[LONG_POSITION]);
  const int32_t step = to_integer(state[STEP]), modulus = to_integer(state[MODULUS]);

  // oldest first: that is the one to be replaced next

  int32_t history[LONG_LAG + WINDOW];
  for (int k = 0; k < LONG_LAG; k++)
    history[k] = to_integer(state[FIBONACCI + back_by(position, k)]);

  // those of the next block; the generator steps before it uses the value

  int32_t arithmetic[BLOCK], last = to_integer(state[ARITHMETIC]);
  for (int k = 0; k < BLOCK; k++) {
    const int32_t next = (k > 0 ? arithmetic[k - 1] : last) - step;
    arithmetic[k] = next < 0 ? next + modulus : next;
  }
  const int32_t block_step = static_cast<int32_t>(static_cast<int64_t>(step) * BLOCK % modulus);

  int begin = 0;
  for (int ndone = 0; ndone < n; ndone += BLOCK) {
    if (begin + BLOCK > WINDOW) {
      std::memmove(history, history + begin, LONG_LAG * sizeof(history[0]));
      begin = 0;
    }
    const int count = std::min(BLOCK, n - ndone);
    last = arithmetic[count - 1];
    if (count == BLOCK) {
      block(history + begin, arithmetic, block_step, modulus, numbers + ndone);
    } else {
      float some[BLOCK];
      block(history + begin, arithmetic, block_step, modulus, some);
      std::copy_n(some, count, numbers + ndone);
    }
    begin += count;
  }

  const int next = back_by(position, n);
  for (int k = 0; k < LONG_LAG; k++)
    state[FIBONACCI + back_by(next, k)] = to_number(history[begin + k]);
  state[LONG_POSITION] = next;
  state[SHORT_POSITION] = back_by(next, LONG_LAG - SHORT_LAG);
  state[ARITHMETIC] = to_number(last);
}

}    // namespace TOFU_NS
