// SPDX-License-Identifier: GPL-2.0-only
//
// CheckHorizon: the steps at which all ranks ask each other whether neighbor lists must be built
// anew.  When they ask, each rank also tells for how many steps none of its atoms can pass the
// limit, and the next time is after the fewest of these.  What a rank finds out in between it
// tells then.  All that is decided here comes from numbers that are the same on all ranks.

#ifndef TOFU_BASE_CHECK_HORIZON_H
#define TOFU_BASE_CHECK_HORIZON_H

#include <algorithm>
#include <array>
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

  /** What one rank has found when ranks ask. */
  struct Findings {
    bool passed = false;      // an atom is beyond the limit, or was since the last build
    bool far = false;         // an atom may be where a rank lives that this one has no link to
    int late = 0;             // steps since an atom has passed the limit unseen; 0: none has
    double freely = 0.0;      // steps until an atom would be at the limit, as fast as it is
    double if_built = 0.0;    // the same, if lists are built now
  };

  /** Findings in a form of which the ranks take the smallest. */
  using Numbers = std::array<int, 5>;

  struct Verdict {
    bool build, far;
    int late;    // largest of the ranks
  };

  /** Something has happened that speeds do not foretell, up to and including this step: atoms may
      gain speed from rest. */
  void unsettle(Step step)
  {
    unsettled_ = step;
    next_ = step + 1;
  }

  /** Whether ranks ask in this step, if lists may be built in it. */
  bool asks(Step step) const { return step >= next_; }

  Numbers numbers_of(const Findings &found) const
  {
    return {found.passed ? -1 : 0, found.far ? -1 : 0, -found.late, steps_within(found.freely),
            steps_within(found.if_built)};
  }

  /** \param step      the present one
      \param smallest  of the numbers of all ranks */
  Verdict decide(Step step, const Numbers &smallest)
  {
    const Verdict verdict{smallest[0] < 0, smallest[1] < 0, -smallest[2]};
    if (verdict.late) {
      widen();
      unsettled_ = step;
    }
    const Step safe = verdict.late ? 0 : verdict.build ? smallest[4] : smallest[3];
    next_ = step + 1 + std::clamp<Step>(safe, 0, most_at(step));
    return verdict;
  }

  /** The margin was too small. */
  void widen() { margin_ *= MORE_MARGIN; }

  double margin() const { return margin_; }

  /** Steps to the limit beyond which their number does not matter. */
  double most() const { return margin_ * LONGEST; }

 private:
  static constexpr Step FEWEST_FROM_REST = 6;

  double margin_ = MARGIN;
  Step next_ = 0, unsettled_ = 0;

  /** Steps at the present speed that k steps at a growing one come to, at most. */
  double needed_for(int k) const
  {
    const double part = std::min(1.0, (k + 1.0) / (STEPS_OF_MARGIN + 1.0));
    return k * (1.0 + (margin_ - 1.0) * part);
  }

  int steps_within(double freely) const
  {
    if (freely >= most()) return LONGEST;
    int k = freely > 0.0 ? static_cast<int>(freely / margin_) : 0;    // not a number: 0
    while (k < STEPS_OF_MARGIN && freely >= needed_for(k + 1)) k++;
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
