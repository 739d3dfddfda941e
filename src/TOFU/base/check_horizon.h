// SPDX-License-Identifier: GPL-2.0-only
//
// CheckHorizon: the steps at which all ranks ask each other whether neighbor lists must be built
// anew.  When they ask, each rank also tells for how many steps none of its atoms can pass the
// limit, and the next time is after the fewest of these.  What a rank finds out in between it
// tells then.  All that is decided here comes from numbers that are the same on all ranks.
//
// A rank that knows for certain in which step an atom will have passed the limit tells that, too.
// If it is the first step that is not safe, lists are built then, and nobody asks once more.
//
// Ranks that look ahead start a question some steps before they read the answer, in a step that is
// fixed in advance.  Lists are built in the first step for which the answer does not exclude that
// an atom passes the limit: in the step in which it passes, or earlier.

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

  /** Atoms may become so many times as fast as they were when ranks asked.  In liquids, metals,
      water and polymers near equilibrium the fastest atom gains 6 to 21 % in a step; 1.25 was too
      little once in 100,000 steps of a Lennard-Jones liquid, 1.5 never. */
  static constexpr double MARGIN = 1.5;

  /** In fewer steps than these they gain less: a part of the margin then holds. */
  static constexpr int STEPS_OF_MARGIN = 4;

  /** The same factor for the margin, each time it was too small. */
  static constexpr double MORE_MARGIN = 1.5;

  /** Most steps between two times, also when nothing moves. */
  static constexpr int LONGEST = 100;

  /** The steps in which lists may be built. */
  struct BuildSteps {
    Step last;           // step of the last build
    int delay, every;    // as in neigh_modify

    /** The first of them that is not before a step. */
    Step from(Step step) const
    {
      const Step ago = std::max<Step>({step - last, delay, 1});
      return last + (ago + every - 1) / every * every;
    }
  };

  /** What one rank has found when ranks ask. */
  struct Findings {
    bool passed = false;    // an atom is beyond the limit, or was since the last build
    bool far = false;       // an atom may be where a rank lives that this one has no link to
    int late = 0;           // steps since an atom has passed the limit unseen; 0: none has

    /** Lists were built in the first step allowed, and too late; or too early, since a certain step
        was wrong.  Not sent yet. */
    bool late_in_first_step = false, built_too_early = false;

    double steps_at_speed = 0.0;    // until an atom would be at the limit, as fast as it is
    double steps_if_built = 0.0;    // the same if lists are built now
    int foreseen = 0;    // steps in which no atom gets to the limit, as far as paths tell

    /** First step for a build in which an atom has passed the limit for certain. */
    int certain_step = PathForecast::NEVER;
  };

  /** Findings in a form of which the ranks take the smallest. */
  using Numbers = std::array<int, 9>;

  struct Verdict {
    bool build, far, late_in_first_step;
    int late;    // largest of the ranks
  };

  /** From now on answers are read so many steps after their questions; 0: in the same step. */
  void look_ahead(int nsteps) { ahead_ = nsteps; }
  int ahead() const { return ahead_; }

  /** Something has happened that speeds do not foretell, up to and including this step: atoms may
      gain speed from rest. */
  void unsettle(Step step)
  {
    unsettled_ = step;
    plan(Next::ASK, step + 1);
  }

  /** Whether ranks ask in this step and read the answer at once, if lists may be built in it. */
  bool asks(Step step) const { return next_is_ == Next::ASK && step >= next_; }

  /** No rank has an atom that can pass the limit in the next step, by numbers of this step: ranks
      do not ask then. */
  void put_off(Step step)
  {
    if (next_is_ == Next::ASK && most_at(step) > 0) next_ = std::max(next_, step + 2);
  }

  /** Whether ranks start a question in this step, which they look ahead from. */
  bool starts(Step step) const { return next_is_ == Next::READ && step == next_ - ahead_; }

  /** Whether they read the answer in this step. */
  bool reads(Step step) const { return next_is_ == Next::READ && step >= next_; }

  /** Whether they build lists in this step, as an earlier answer said. */
  bool builds(Step step) const { return next_is_ == Next::BUILD && step >= next_; }

  /** Step in which the ranks ask, read or build next. */
  Step next() const { return next_; }

  /** Most steps from a question that is started to the build that its answer leads to at once. */
  int most_to_build() const { return std::max(0, 2 * ahead_ - 1); }

  /** \param found     by this rank
      \param started   the answer is read in a later step */
  Numbers numbers_of(const Findings &found, bool started = false) const
  {
    return {found.passed ? -1 : 0,
            found.far ? -1 : 0,
            -found.late,
            safe_steps(found),
            steps_within(found.steps_if_built, started ? most_to_build() : to_build(found)),
            found.late_in_first_step ? -1 : 0,
            found.certain_step,
            found.built_too_early ? -1 : 0,
            -static_cast<int>(std::ceil(std::min(most_change_, MOST_CHANGE) / CHANGE_UNIT))};
  }

  bool is_safe_for_a_step(const Findings &found) const { return safe_steps(found) > 0; }

  /** Complete what a rank has found by the paths of its atoms.

      \param forecast   of its atoms
      \param distance   that the limit is away from where they were at the last build
      \param closer     distance by which it comes closer in a step
      \param step       the present one
      \param may        when lists may be built
      \param found      gets the steps that are safe, and the one that is sure */
  void foresee(const PathForecast &forecast, double distance, double closer, Step step,
               const BuildSteps &may, Findings &found)
  {
    if (!(distance > 0.0)) return;
    most_change_ = std::max(forecast.largest_change() / distance, REMEMBERED * most_change_);
    const double change = most_change_ * distance * (margin_ / MARGIN);
    found.foreseen = forecast.safe_steps({distance, closer, SAFE_CHANGE * change});
    if (closer > 0.0 || ahead_) return;
    for (int k = 1; k <= PathForecast::STEPS && found.certain_step == PathForecast::NEVER; k++)
      if (may.from(step + k) == step + k &&
          forecast.passes_certainly(k, {distance, 0.0, CERTAIN_CHANGE * certainty_ * change}))
        found.certain_step = k;
  }

  /** Of a question in this step.

      \param step      the present one
      \param smallest  of the numbers of all ranks
      \param may       as long as lists are not built now; of use if ranks look ahead */
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

  /** Of a question that was started ahead() steps ago, in a step in which lists may be built. */
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
      plan(Next::ASK, step + 1);
    else
      plan(needed - ahead_ < step ? Next::BUILD : Next::READ, needed);
    return verdict;
  }

  /** Lists are built in this step, as builds() says. */
  void built(Step step, const BuildSteps &may) { go_on(step, after_build_, true, may); }

  /** Steps from a question to the build that its answer leads to, at most, without what other ranks
      have found. */
  int to_build(const Findings &found) const
  {
    return found.passed ? 0 : std::min(safe_steps(found) + 1, PathForecast::STEPS);
  }

  /** The margin was too small. */
  void widen() { margin_ *= MORE_MARGIN; }

  double margin() const { return margin_; }
  double certainty() const { return certainty_; }

  /** Steps to the limit beyond which their number does not matter. */
  double most() const { return margin_ * LONGEST; }

 private:
  static constexpr Step FEWEST_FROM_REST = 6;

  /** What an atom gains in a step may change by so many times the largest such change of all atoms
      when ranks asked; of older ones a part is remembered.  With 1 one of 6,000 builds of a
      Lennard-Jones liquid was in another step, with 1.25 one of 4,700 of copper, with 1.5 and 2
      none. */
  static constexpr double SAFE_CHANGE = 2.0, CERTAIN_CHANGE = 2.0, REMEMBERED = 0.9;
  static constexpr double CHANGE_UNIT = 1e-6, MOST_CHANGE = 1000.0;    // distances to the limit
  enum class Next { ASK, READ, BUILD };

  double margin_ = MARGIN;
  double certainty_ = 1.0;
  double most_change_ = 0.0;    // of what an atom gains in a step, in distances to the limit
  int ahead_ = 0;
  Next next_is_ = Next::ASK;
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
    if (smallest[7] < 0) certainty_ *= MORE_MARGIN;
    most_change_ = -smallest[8] * CHANGE_UNIT;
    return verdict;
  }

  /** What comes next if no atom can pass the limit for so many steps.  A question can be started in
      the next step at the earliest: this step's positions are used up. */
  void go_on(Step step, Step safe, bool build, BuildSteps may)
  {
    if (build) may.last = step;
    const Step needed = may.from(step + safe + 1);
    if (ahead_ && needed - ahead_ > step && step - unsettled_ >= FEWEST_FROM_REST)
      plan(Next::READ, needed);
    else
      plan(Next::ASK, step + safe + 1);
  }

  int safe_steps(const Findings &found) const
  {
    return std::max(steps_within(found.steps_at_speed, 0), found.foreseen);
  }

  /** Steps at the present speed that k steps at a growing one come to, at most, if the first of
      them comes so many steps later. */
  double needed_for(int k, int later) const
  {
    const double part = std::min(1.0, (k + later + 1.0) / (STEPS_OF_MARGIN + 1.0));
    return k * (1.0 + (margin_ - 1.0) * part);
  }

  int steps_within(double steps_at_speed, int later) const
  {
    if (steps_at_speed >= most()) return LONGEST;
    const bool is_number = steps_at_speed > 0.0;
    int k = is_number ? static_cast<int>(steps_at_speed / margin_) : 0;
    while (k < STEPS_OF_MARGIN && steps_at_speed >= needed_for(k + 1, later)) k++;
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
