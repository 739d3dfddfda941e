// SPDX-License-Identifier: GPL-2.0-only
//
// The random numbers of RanMars, many at a time.
//
// The generator of Marsaglia, Zaman and Tsang (Statist. Probab. Lett. 8, 35, 1990) combines a
// lagged Fibonacci sequence with lags 97 and 33 and an arithmetic one.  All of its numbers are
// multiples of 2^-24, so integers follow it exactly; 33 successors of the first sequence do not
// depend on each other, and the second one may be entered anywhere.

#ifndef TOFU_KERNELS_RAN_MARS_BLOCK_H
#define TOFU_KERNELS_RAN_MARS_BLOCK_H

namespace TOFU_NS {

/** Length of what RanMars::get_state() gives: 98 numbers of which the first is not used, two
    positions among them, and the second sequence's value, step and modulus. */
constexpr int RAN_MARS_STATE = 103;

/** The next n numbers of RanMars::uniform().

    \param state     [RAN_MARS_STATE] of the generator, is advanced
    \param n         # of numbers
    \param numbers   [n] the same as in double precision, since 24 bits are all that they have */
void ran_mars_block(double *state, int n, float *numbers);

}    // namespace TOFU_NS

#endif
