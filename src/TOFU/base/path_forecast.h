// SPDX-License-Identifier: GPL-2.0-only
//
// How far atoms get in the next steps if each keeps its acceleration, and by how much that may be
// wrong.

#ifndef TOFU_BASE_PATH_FORECAST_H
#define TOFU_BASE_PATH_FORECAST_H

#include <algorithm>
#include <array>
#include <cmath>

namespace TOFU_NS {

/** Of all atoms looked at.  Displacements in the last three steps are V, V', V''; A = V - V' is
    what an atom gains in a step, and it is k V + k (k+1)/2 A farther in k steps.  A changes by J =
    A - A' in a step; if it went on to do so, this would be wrong by k (k+1) (k+2)/6 J. */
struct PathForecast {
  static constexpr int STEPS = 8;    // looked at
  static constexpr int NEVER = 1000000;

  std::array<double, STEPS> farthest{};    // squares of the largest distance in 1, 2, ... steps
  double change = 0.0;                     // square of the largest J
  double gain = 0.0;                       // square of the largest A

  void add(const PathForecast &other)
  {
    for (int k = 0; k < STEPS; k++) farthest[k] = std::max(farthest[k], other.farthest[k]);
    change = std::max(change, other.change);
    gain = std::max(gain, other.gain);
  }

  /** The largest J to count on.  Where atoms swing in step, J of all is 0 when A is largest: of a
      motion with a period of 2 pi / LEAST_TURN = 31 steps J gets to this part of A. */
  double largest_change() const
  {
    return std::sqrt(std::max(change, LEAST_TURN * LEAST_TURN * gain));
  }

  /** What A of any atom changes by in a step, and what is thought of its path is wrong by less. */
  struct Limits {
    double distance;    // that no atom has passed yet
    double closer;      // by so much less in each step
    double change;      // in a step, of what an atom gains in a step
  };

  /** # of steps in which no atom gets farther than the limit; STEPS at most. */
  int safe_steps(const Limits &limits) const
  {
    for (int k = 1; k <= STEPS; k++)
      if (!(at(k) + error(k, limits) <= limits.distance - k * limits.closer)) return k - 1;
    return STEPS;
  }

  /** Whether an atom is farther than the limit in k steps for certain. */
  bool passes_certainly(int k, const Limits &limits) const
  {
    return at(k) - error(k, limits) > limits.distance;
  }

 private:
  static constexpr double ROUNDING = 1e-9, LEAST_TURN = 0.2;

  double at(int k) const { return std::sqrt(farthest[k - 1]); }
  static double error(int k, const Limits &limits)
  {
    return k * (k + 1.0) * (k + 2.0) / 6.0 * limits.change + ROUNDING * limits.distance;
  }
};

}    // namespace TOFU_NS

#endif
