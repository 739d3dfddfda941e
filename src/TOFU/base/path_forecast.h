// SPDX-License-Identifier: GPL-2.0-only
//
// Displacements of atoms in the next steps with constant accelerations, and bounds of their errors.

#ifndef TOFU_BASE_PATH_FORECAST_H
#define TOFU_BASE_PATH_FORECAST_H

#include <algorithm>
#include <array>
#include <cmath>

namespace TOFU_NS {

/** Maxima over some atoms.  V, V' and V'' are the displacements of an atom in the last three steps,
    A = V - V' its acceleration, and J = A - A' the change of that in a step.  With constant A the
    displacement in the next k steps is k V + k (k+1)/2 A; constant J would add
    k (k+1) (k+2)/6 J. */
struct PathForecast {
  static constexpr int STEPS = 8;    // that are predicted
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

  /** Estimate of the largest J.  Where atoms oscillate in phase, J of all is 0 when A is largest;
      in an oscillation with a period of 2 pi / LEAST_TURN = 31 steps J grows to LEAST_TURN times
      A. */
  double largest_change() const
  {
    return std::sqrt(std::max(change, LEAST_TURN * LEAST_TURN * gain));
  }

  /** Limit of displacements, and a bound of J. */
  struct Limits {
    double distance;    // that no atom has passed yet
    double closer;      // decrease of the distance in each step
    double change;      // largest J of any atom
  };

  /** # of steps in which no atom gets farther than the limit; STEPS at most. */
  int safe_steps(const Limits &limits) const
  {
    for (int k = 1; k <= STEPS; k++)
      if (!(at(k) + error(k, limits) <= limits.distance - k * limits.closer)) return k - 1;
    return STEPS;
  }

  /** Whether an atom is farther than the limit in k steps, with the error bound in its favor. */
  bool surely_passes(int k, const Limits &limits) const
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
