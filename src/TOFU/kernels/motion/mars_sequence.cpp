// SPDX-License-Identifier: GPL-2.0-only

#include "mars_sequence.h"

#include <algorithm>
#include <cstring>

namespace TOFU_NS {

namespace {

  constexpr int32_t ONE = 1 << 24;    // 1.0
  constexpr int32_t FRACTION = ONE - 1;

  enum Slot { FIBONACCI = 0, LONG_POSITION = 98, SHORT_POSITION, ARITHMETIC, ADVANCE, MODULUS };

  int32_t to_integer(double number)
  {
    return static_cast<int32_t>(number * ONE);
  }

  double to_number(int32_t integer)
  {
    return static_cast<double>(integer) / ONE;
  }

  // positions in the state go down from 97 to 1, and to 97 again

  constexpr int NPOSITIONS = 97;

  int back_by(int position, int steps)
  {
    const int left = position - steps % NPOSITIONS;
    return left < 1 ? left + NPOSITIONS : left;
  }

}    // namespace

/* ----------------------------------------------------------------------
   the oldest number of the state is the one to be replaced next
------------------------------------------------------------------------- */

void MarsSequence::start(const double *state, int ahead)
{
  position = static_cast<int>(state[LONG_POSITION]);
  begin = 0;
  for (int k = 0; k < LONG_LAG; k++)
    history[k] = to_integer(state[FIBONACCI + back_by(position, k)]);

  step = to_integer(state[ADVANCE]);
  modulus = to_integer(state[MODULUS]);
  block_step = static_cast<int32_t>(static_cast<int64_t>(step) * BLOCK % modulus);
  last = to_integer(state[ARITHMETIC]);

  follow_last();
  float unused[BLOCK];
  for (int left = ahead; left > 0; left -= BLOCK) draw(std::min(BLOCK, left), unused);
}

/* ----------------------------------------------------------------------
   the generator steps before it uses the value
------------------------------------------------------------------------- */

void MarsSequence::follow_last()
{
  for (int k = 0; k < BLOCK; k++) {
    const int32_t next = (k > 0 ? arithmetic[k - 1] : last) - step;
    arithmetic[k] = next < 0 ? next + modulus : next;
  }
}

/* ---------------------------------------------------------------------- */

void MarsSequence::draw(int n, float *numbers)
{
  for (int ndone = 0; ndone < n; ndone += BLOCK) {
    if (begin + BLOCK > WINDOW) {
      std::memmove(history, history + begin, LONG_LAG * sizeof(history[0]));
      begin = 0;
    }
    const int count = std::min(BLOCK, n - ndone);
    last = arithmetic[count - 1];
    if (count == BLOCK) {
      draw_block(numbers + ndone);
    } else {
      float some[BLOCK];
      draw_block(some);
      std::copy_n(some, count, numbers + ndone);
      follow_last();
    }
    begin += count;
  }
  position = back_by(position, n);
}

/* ---------------------------------------------------------------------- */

void MarsSequence::draw_block(float *numbers)
{
  int32_t *const from = history + begin, *const to = from + LONG_LAG;
  for (int k = 0; k < BLOCK; k++) to[k] = (from[k] - from[k + LONG_LAG - SHORT_LAG]) & FRACTION;
  for (int k = 0; k < BLOCK; k++) {
    const int32_t number = (to[k] - arithmetic[k]) & FRACTION;
    numbers[k] = static_cast<float>(number) * (1.0f / ONE);
  }
  for (int k = 0; k < BLOCK; k++) {
    const int32_t next = arithmetic[k] - block_step;
    arithmetic[k] = next + ((next >> 31) & modulus);    // if it is negative
  }
}

/* ---------------------------------------------------------------------- */

void MarsSequence::put_state(double *state) const
{
  state[FIBONACCI] = 0.0;
  for (int k = 0; k < LONG_LAG; k++)
    state[FIBONACCI + back_by(position, k)] = to_number(history[begin + k]);
  state[LONG_POSITION] = position;
  state[SHORT_POSITION] = back_by(position, LONG_LAG - SHORT_LAG);
  state[ARITHMETIC] = to_number(last);
  state[ADVANCE] = to_number(step);
  state[MODULUS] = to_number(modulus);
}

}    // namespace TOFU_NS
