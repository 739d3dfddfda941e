// SPDX-License-Identifier: GPL-2.0-only
//
// The random numbers of RanMars, many at a time and from any place of the sequence.
//
// The generator of Marsaglia, Zaman and Tsang (Statist. Probab. Lett. 8, 35, 1990) combines a
// lagged Fibonacci sequence with lags 97 and 33 and an arithmetic one.  All of its numbers are
// multiples of 2^-24, so integers follow it exactly; 33 successors of the first sequence do not
// depend on each other, and the second one may be entered anywhere.

#ifndef TOFU_KERNELS_MARS_SEQUENCE_H
#define TOFU_KERNELS_MARS_SEQUENCE_H

#include <cstdint>

namespace TOFU_NS {

/** Length of what RanMars::get_state() gives: 98 numbers of which the first is not used, two
    positions among them, and the second sequence's value, step and modulus. */
constexpr int RAN_MARS_STATE = 103;

/** Numbers of RanMars::uniform().  Those of several parts lie in an array, one for each. */
class alignas(64) MarsSequence {
 public:
  /** Go to a place of the generator's sequence.

      \param state   [RAN_MARS_STATE] of the generator
      \param ahead   # of numbers that are drawn and left out, 0 or more */
  void start(const double *state, int ahead = 0);

  /** The next numbers.

      \param numbers   [n] the same as in double precision, since 24 bits are all that they have */
  void draw(int n, float *numbers);

  /** \param state   [RAN_MARS_STATE] of a generator that has made all numbers up to here */
  void put_state(double *state) const;

 private:
  static constexpr int LONG_LAG = 97, SHORT_LAG = 33;
  static constexpr int BLOCK = 32;             // successors at a time; at most SHORT_LAG
  static constexpr int WINDOW = 32 * BLOCK;    // numbers between two moves of the history

  int32_t history[LONG_LAG + WINDOW];    // oldest first, from begin on
  int begin;
  int32_t last, step, block_step, modulus;    // of the arithmetic sequence
  int32_t arithmetic[BLOCK];                  // its numbers after the last one
  int position;                               // of the oldest number in the state

  void follow_last();
  void draw_block(float *numbers);
};

}    // namespace TOFU_NS

#endif
