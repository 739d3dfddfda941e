// SPDX-License-Identifier: GPL-2.0-only
//
// How far atoms have moved since some time, and for how long they may go on as in the last step.

#ifndef TOFU_KERNELS_ATOM_TRAVEL_H
#define TOFU_KERNELS_ATOM_TRAVEL_H

#include <algorithm>

namespace TOFU_NS {

/** Positions of atoms at three times, [natoms][3] each. */
struct AtomPaths {
  const double *hold;      // where distances count from
  const double *before;    // one step ago
  const double *now;
};

/** What all atoms looked at have in common; positions that are not numbers count for nothing. */
struct AtomTravel {
  double largest = 0.0;     // square of the largest distance from hold
  double fastest = 0.0;     // square of the largest distance in the last step
  double steps_at_speed;    // fewest steps until an atom is at the limit

  /** \param most   value of steps_at_speed when no atom gets there earlier; finite, not negative */
  explicit AtomTravel(double most) : steps_at_speed(most) {}

  void add(const AtomTravel &other)
  {
    largest = std::max(largest, other.largest);
    fastest = std::max(fastest, other.fastest);
    steps_at_speed = std::min(steps_at_speed, other.steps_at_speed);
  }
};

/** Square of the largest distance from hold to now; [natoms][3]. */
double largest_square(const double *hold, const double *now, int natoms);

/** Add atoms to what is known.

    \param paths    of the atoms
    \param natoms   # of atoms
    \param limit    distance from hold that they may have, >= 0; an atom beyond has 0 steps left
    \param closer   distance by which the limit becomes smaller in a step, >= 0
    \param travel   result; the same bits whatever the order of atoms */
void add_travel(const AtomPaths &paths, int natoms, double limit, double closer,
                AtomTravel &travel);

}    // namespace TOFU_NS

#endif
