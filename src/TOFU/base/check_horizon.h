// SPDX-License-Identifier: GPL-2.0-only
//
// CheckHorizon: the steps of the collective check whether neighbor lists must be built anew.
//
// In a check each rank contributes for how many steps none of its atoms can pass the limit of its
// displacement.  The minimum over all ranks gives the step of the next check.  Passes of the limit
// between two checks are contributed to the next one.  Every decision is made from reduced numbers,
// which are the same on all ranks.
//
// A rank that can prove in which step an atom will have passed the limit contributes that step,
// too.  If it is the first step that is not safe, lists are built in it without another check.
//
// With a lookahead, a check is a reduction that is started some steps before its result is read;
// both steps are fixed in advance.  Lists are built in the first step for which the result does not
// exclude that an atom passes the limit: in the step in which it passes, or earlier.

#ifndef TOFU_BASE_CHECK_HORIZON_H
#define TOFU_BASE_CHECK_HORIZON_H

#include "path_forecast.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace TOFU_NS {

class CheckHorizon {
 public:
  using Step = std::int64_t;

  /** Factor by which the speed of an atom may grow between two checks.  In liquids, metals, water
      and polymers near equilibrium the fastest atom gains 6 to 21 % in a step; 1.25 was too little
      once in 100,000 steps of a Lennard-Jones liquid, 1.5 never. */
  static constexpr double MARGIN = 1.5;

  /** Steps from which on the whole margin applies; for fewer steps a part of it. */
  static constexpr int STEPS_OF_MARGIN = 4;

  /** Factor of the margin each time it was too small. */
  static constexpr double MORE_MARGIN = 1.5;

  /** Most steps between two checks, also when nothing moves. */
  static constexpr int LONGEST = 100;

  /** The steps in which lists may be built. */
  struct BuildSteps {
    Step last;           // step of the last build
    int delay, every;    // as in neigh_modify

    /** First step at or after `step` in which lists may be built. */
    Step from(Step step) const
    {
      const Step ago = std::max<Step>({step - last, delay, 1});
      return last + (ago + every - 1) / every * every;
    }
  };

  /** Contribution of one rank to a check. */
  struct Findings {
    bool passed = false;    // an atom is beyond the limit, or was since the last build
    bool far = false;       // an atom may be in the sub-box of a rank without a link to this one
    int late = 0;           // steps since an atom passed the limit between two checks; 0: none
    bool late_in_first_step =
        false;    // the last build was too late, although in the first allowed step;
                  // not contributed yet
    double steps_at_current_speed =
        0.0;                        // steps until an atom is at the limit at its current speed
    double steps_if_built = 0.0;    // steps until then at current speeds, if lists are built now
    int predicted_safe_steps =
        0;    // steps in which no atom reaches the limit, predicted from paths
    int predicted_build_steps =
        PathForecast::NEVER;    // steps to the first allowed build after an atom has
                                // passed the limit, where that is proven
    bool predicted_too_early =
        false;    // the last build was too early by a prediction of this rank; not
                  // contributed yet
  };

  /** Findings as numbers that are reduced to their minimum over all ranks. */
  using Numbers = std::array<int, 9>;

  /** Result of a check, the same on all ranks. */
  struct Verdict {
    bool build, far, late_in_first_step;
    int late;    // maximum over the ranks
  };

  /** Set the lookahead: steps from the start of a reduction to its result; 0: the same step. */
  void set_lookahead(int nsteps) { ahead_ = nsteps; }
  int ahead() const { return ahead_; }

  /** Speeds of steps up to this one predict nothing: atoms may gain speed from rest, as after
      velocities were set.  The next step has a check. */
  void invalidate_speeds(Step step)
  {
    unsettled_ = step;
    plan(Next::CHECK, step + 1);
  }

  /** Whether this step, if lists may be built in it, has a check whose result is read at once. */
  bool is_check_step(Step step) const { return next_is_ == Next::CHECK && step >= next_; }

  /** Omit the check of the next step: by reduced numbers of this step no atom of any rank can pass
      the limit in it. */
  void skip_next_check(Step step)
  {
    if (next_is_ == Next::CHECK && most_at(step) > 0) next_ = std::max(next_, step + 2);
  }

  /** Whether the reduction of a check with lookahead starts in this step. */
  bool is_start_step(Step step) const { return next_is_ == Next::READ && step == next_ - ahead_; }

  /** Whether the result of a check with lookahead is read in this step. */
  bool is_result_step(Step step) const { return next_is_ == Next::READ && step >= next_; }

  /** Whether lists are built in this step by the result of an earlier check. */
  bool is_build_step(Step step) const { return next_is_ == Next::BUILD && step >= next_; }

  /** Step of the next check, result or build. */
  Step next() const { return next_; }

  /** Most steps from the start of a reduction to a build that its result requires at once. */
  int most_to_build() const { return std::max(0, 2 * ahead_ - 1); }

  /** Numbers for the reduction.

      \param found     contribution of this rank
      \param started   the result is read in a later step */
  Numbers numbers_of(const Findings &found, bool started = false) const
  {
    return {found.passed ? -1 : 0,
            found.far ? -1 : 0,
            -found.late,
            safe_steps(found),
            steps_within(found.steps_if_built, started ? most_to_build() : to_build(found)),
            found.late_in_first_step ? -1 : 0,
            found.predicted_build_steps,
            found.predicted_too_early ? -1 : 0,
            -static_cast<int>(std::ceil(std::min(most_change_, MOST_CHANGE) / CHANGE_UNIT))};
  }

  bool is_safe_for_a_step(const Findings &found) const { return safe_steps(found) > 0; }

  /** Set `predicted_safe_steps` and `predicted_build_steps` of a contribution from the paths of
      this rank's atoms.

      \param forecast   paths of the atoms
      \param distance   displacement since the last build that no atom may exceed
      \param closer     decrease of this distance in a step
      \param step       the current one
      \param may        steps in which lists may be built
      \param found      contribution of this rank */
  void predict(const PathForecast &forecast, double distance, double closer, Step step,
               const BuildSteps &may, Findings &found)
  {
    if (!(distance > 0.0)) return;
    most_change_ = std::max(forecast.largest_change() / distance, REMEMBERED * most_change_);
    const double change = most_change_ * distance * (margin_ / MARGIN);
    found.predicted_safe_steps = forecast.safe_steps({distance, closer, SAFE_CHANGE * change});
    if (closer > 0.0 || ahead_) return;
    for (int k = 1; k <= PathForecast::STEPS && found.predicted_build_steps == PathForecast::NEVER;
         k++)
      if (may.from(step + k) == step + k &&
          forecast.surely_passes(k, {distance, 0.0, SURE_CHANGE * prediction_margin_ * change}))
        found.predicted_build_steps = k;
  }

  /** Evaluate a check of this step, and plan what follows.

      \param step      the current one
      \param smallest  numbers of Findings, reduced over all ranks
      \param may       steps in which lists may be built, unless they are built now; used with a
                       lookahead */
  Verdict decide(Step step, const Numbers &smallest, const BuildSteps &may = {0, 0, 1})
  {
    const Verdict verdict = read(step, smallest);
    const Step safe = verdict.late ? 0 : verdict.build ? smallest[4] : smallest[3];
    const Step trusted = std::clamp<Step>(safe, 0, most_at(step));
    const Step first = may.from(step + trusted + 1);
    if (!verdict.build && !verdict.late && !ahead_ && first == step + smallest[6]) {
      plan(Next::BUILD, first);
      after_build_ =
          std::clamp<Step>(smallest[4], 0, std::max<Step>(0, most_at(step) - smallest[6]));
    } else {
      go_on(step, trusted, verdict.build, may);
    }
    return verdict;
  }

  /** Evaluate a check that was started ahead() steps ago, in a step in which lists may be built. */
  Verdict decide_started(Step step, const Numbers &smallest, const BuildSteps &may)
  {
    const Step started = step - ahead_, trusted = most_at(started);
    Verdict verdict = read(step, smallest);
    const Step safe = started + (verdict.build ? 0 : std::clamp<Step>(smallest[3], 0, trusted));
    const Step longest = verdict.late ? 0 : std::max<Step>(0, trusted - most_to_build());
    after_build_ = std::clamp<Step>(smallest[4], 0, longest);
    verdict.build = safe < step;
    const Step needed = may.from(safe + 1);
    if (verdict.build)
      built(step, may);
    else if (verdict.late)
      plan(Next::CHECK, step + 1);
    else
      plan(needed - ahead_ < step ? Next::BUILD : Next::READ, needed);
    return verdict;
  }

  /** Lists are built in this step, by the result of is_build_step(). */
  void built(Step step, const BuildSteps &may) { go_on(step, after_build_, true, may); }

  /** Most steps from a check to the build that its result leads to, by this rank's contribution
      alone. */
  int to_build(const Findings &found) const
  {
    return found.passed ? 0 : std::min(safe_steps(found) + 1, PathForecast::STEPS);
  }

  /** Increase the margin, which was too small. */
  void widen() { margin_ *= MORE_MARGIN; }

  double margin() const { return margin_; }
  double prediction_margin() const { return prediction_margin_; }

  /** Largest number of steps to the limit that makes a difference. */
  double most() const { return margin_ * LONGEST; }

 private:
  static constexpr Step FEWEST_FROM_REST = 6;

  /** Bounds of the change of an atom's acceleration in a step, as multiples of the largest change
      over all atoms in the last check, or of REMEMBERED times the one before.  With 1 one of 6,000
      builds of a Lennard-Jones liquid was in another step, with 1.25 one of 4,700 of copper, with
      1.5 and 2 none. */
  static constexpr double SAFE_CHANGE = 2.0, SURE_CHANGE = 2.0, REMEMBERED = 0.9;
  static constexpr double CHANGE_UNIT = 1e-6, MOST_CHANGE = 1000.0;    // distances to the limit
  enum class Next { CHECK, READ, BUILD };

  double margin_ = MARGIN;
  double prediction_margin_ = 1.0;    // factor of SURE_CHANGE
  double most_change_ = 0.0;          // of an acceleration in a step, in units of the limit
  int ahead_ = 0;
  Next next_is_ = Next::CHECK;
  Step next_ = 0, unsettled_ = 0;
  Step after_build_ = 0;    // steps after the next build in which no atom passes the limit

  void plan(Next what, Step step)
  {
    next_is_ = what;
    next_ = step;
  }

  Verdict read(Step step, const Numbers &smallest)
  {
    const Verdict verdict{smallest[0] < 0, smallest[1] < 0, smallest[5] < 0, -smallest[2]};
    if (verdict.late) {
      widen();
      unsettled_ = step;
    }
    if (smallest[7] < 0) prediction_margin_ *= MORE_MARGIN;
    most_change_ = -smallest[8] * CHANGE_UNIT;
    return verdict;
  }

  /** Plan the next check, where no atom can pass the limit for `safe` steps.  A reduction starts in
      the next step at the earliest, since positions of this step have been reduced already. */
  void go_on(Step step, Step safe, bool build, BuildSteps may)
  {
    if (build) may.last = step;
    const Step needed = may.from(step + safe + 1);
    if (ahead_ && needed - ahead_ > step && step - unsettled_ >= FEWEST_FROM_REST)
      plan(Next::READ, needed);
    else
      plan(Next::CHECK, step + safe + 1);
  }

  int safe_steps(const Findings &found) const
  {
    return std::max(steps_within(found.steps_at_current_speed, 0), found.predicted_safe_steps);
  }

  /** Upper bound of the displacement in k steps at a growing speed, in steps at the current speed.

      \param later   steps before the first of the k */
  double needed_for(int k, int later) const
  {
    const double part = std::min(1.0, (k + later + 1.0) / (STEPS_OF_MARGIN + 1.0));
    return k * (1.0 + (margin_ - 1.0) * part);
  }

  int steps_within(double steps_at_current_speed, int later) const
  {
    if (steps_at_current_speed >= most()) return LONGEST;
    int k = steps_at_current_speed > 0.0 ? static_cast<int>(steps_at_current_speed / margin_)
                                         : 0;    // not a number: 0
    while (k < STEPS_OF_MARGIN && steps_at_current_speed >= needed_for(k + 1, later)) k++;
    return k;
  }

  /** An atom that began to move from rest, with constant force, n steps ago is (n + k)^2 / 2 away
      after k steps more, in units of its gain per step.  With its displacement in the last step,
      n - 1/2, n^2/2 + 1.5 k (n - 1/2) is not less for k up to n - 1.5.  The smaller margins of few
      steps are enough from n = 6 on. */
  Step most_at(Step step) const
  {
    const Step n = step - unsettled_;
    return n < FEWEST_FROM_REST ? 0 : std::min<Step>(n - 2, LONGEST);
  }
};

}    // namespace TOFU_NS

#endif
