// SPDX-License-Identifier: GPL-2.0-only
//
// How far a step of a minimizer may go for which energies were predicted, by how well they were:
// the decisions of LAMMPS' min_style hftn (Nocedal and Wright, Numerical Optimization, 2nd
// edition, chapter 7.1).

#ifndef TOFU_BASE_TRUST_REGION_H
#define TOFU_BASE_TRUST_REGION_H

#include <algorithm>
#include <cmath>
#include <limits>

namespace TOFU_NS {

enum class StepEnd {
  NO_STEP,               // forces are small where atoms are
  MINIMUM,               // of the parabola that predicts energies
  RADIUS,                // the step may not be longer
  DMAX,                  // a coordinate may not change by more
  NEGATIVE_CURVATURE,    // the parabola has no minimum along a direction
  MOST_ITERATIONS,
  NOT_A_NUMBER
};

struct NewtonStep {
  StepEnd end;
  double squared, largest;    // its norm squared; its largest number

  double norm() const { return std::sqrt(squared); }
};

struct TrustRegion {
  double radius, most_radius;
  double
      last_newton;    // norm of the last step to a minimum; most_radius since a step was rejected

  static constexpr double EPSILON = std::numeric_limits<double>::epsilon();

  /** The next step may be longer if this one went as far as it could, and as predicted.

      \param step        from the place that was left
      \param decrease    of the energy
      \param predicted   decrease by the parabola */
  void after_accepted(const NewtonStep &step, double decrease, double predicted)
  {
    if (step.end == StepEnd::MINIMUM) last_newton = step.norm();
    if (decrease > 0.75 * predicted && step.norm() >= 0.99 * radius) radius *= 2.0;
    radius = std::min(radius, most_radius);
    if (step.end == StepEnd::DMAX)
      radius = step.norm() <= EPSILON ? 0.1 * radius : std::min(radius, 2.0 * step.norm());
  }

  /** The next step is to be shorter; much shorter after a negative curvature, along which steps go
      far.

      \param step        from the place where atoms are again
      \param decrease    of the energy that the step would have had; < 0 if it rose
      \param predicted   decrease by the parabola
      \param force       norm of forces where atoms are */
  void after_rejected(const NewtonStep &step, double decrease, double predicted, double force)
  {
    const bool rose = -decrease > predicted;    // by more than the energy was to fall
    if (step.end == StepEnd::DMAX && step.norm() <= EPSILON)
      radius *= 0.1;
    else if (rose)
      radius = (step.end == StepEnd::NEGATIVE_CURVATURE ? 0.1 : 0.2) * least(step);
    else
      radius = 0.25 * least(step);
    if (step.end != StepEnd::MINIMUM && force < std::sqrt(EPSILON))
      radius = std::min(radius, 2.0 * last_newton);
    last_newton = most_radius;
  }

 private:
  double least(const NewtonStep &step) const { return std::min(radius, step.norm()); }
};

/** Where a step p that goes on along a direction d has the length of the radius. */
class WaysToRadius {
 public:
  /** \param radius       of the trust region
      \param pp, pd, dd   products of p and d */
  WaysToRadius(double radius, double pp, double pd, double dd)
  {
    if (dd <= 0.0 || radius * radius < pp) return;
    const double root = std::sqrt(std::max(0.0, pd * pd - dd * (pp - radius * radius)));
    forth = (-pd + root) / dd;
    back = (-pd - root) / dd;
  }

  /** Distance along d; 0 if the step is longer already. */
  double forwards() const { return forth; }

  /** Distance along d, or against it, < 0, to the lower energy.

      \param slope, curvature   of the energy along d */
  double downwards(double slope, double curvature) const
  {
    const auto energy = [=](double distance) {
      return distance * slope + 0.5 * distance * distance * curvature;
    };
    return energy(forth) < energy(back) ? forth : back;
  }

 private:
  double forth = 0.0, back = 0.0;
};

}    // namespace TOFU_NS

#endif
