// SPDX-License-Identifier: GPL-2.0-only
//
// GainTrial: whether handing over work makes steps shorter, found by steps with and without it in
// turn.  Arithmetic only: the caller measures, and makes all ranks agree.

#ifndef TOFU_BALANCE_GAIN_TRIAL_H
#define TOFU_BALANCE_GAIN_TRIAL_H

#include <cstdint>
#include <limits>

namespace TOFU_NS {

/** A trial is a number of windows, in which work is handed over and left alternately.  A window
    begins and ends when neighbor lists are built.  The shortest time of a step counts in each of
    the two ways, since other work of the machine only makes steps longer. */
class GainTrial {
 public:
  static constexpr int NWINDOWS = 11;             // the first is not counted
  static constexpr std::int64_t WINDOW = 20;      // steps, at least
  static constexpr std::int64_t VALID = 10000;    // steps that a result holds
  static constexpr double LEAST_GAIN = 0.01;      // of a step

  /** Times of a step in seconds. */
  struct Times {
    double with = std::numeric_limits<double>::infinity();
    double without = std::numeric_limits<double>::infinity();
    bool pays() const { return with < (1.0 - LEAST_GAIN) * without; }
  };

  /** Whether work is to be handed over now. */
  bool hands_over() const { return running() ? window_ % 2 == 0 : !rests_; }
  bool running() const { return window_ >= 0; }

  /** Step from which on a new trial is due. */
  std::int64_t next() const { return next_; }
  bool due(std::int64_t step) const { return !running() && step >= next_; }
  void start(std::int64_t step, double now);

  /** The present window begins anew, since something else came between two steps. */
  void resume(std::int64_t step, double now);

  /** Lists are about to be built, in a trial.

      \param step   number of the step
      \param now    seconds
      \return       whether a window has ended: hands_over() may have changed */
  bool at_build(std::int64_t step, double now);

  /** All windows have been measured: the caller adds up times() of all ranks, and calls
      conclude(). */
  bool complete() const { return window_ == NWINDOWS; }
  const Times &times() const { return times_; }
  void conclude(std::int64_t step, const Times &of_all_ranks);

  /** There is nothing to hand over. */
  void stop() { window_ = NO_TRIAL; }

  /** Whether the last result is that work is not to be handed over. */
  bool rests() const { return rests_; }

 private:
  static constexpr int NO_TRIAL = -1;

  int window_ = NO_TRIAL;
  std::int64_t first_step_ = 0, next_ = 0;
  double began_ = 0.0;
  Times times_;
  bool rests_ = false;
};

}    // namespace TOFU_NS

#endif
