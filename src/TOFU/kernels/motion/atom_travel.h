// SPDX-License-Identifier: GPL-2.0-only
//
// Displacements of atoms since a time, and steps until a limit at the current speed.

#ifndef TOFU_KERNELS_ATOM_TRAVEL_H
#define TOFU_KERNELS_ATOM_TRAVEL_H

#include <algorithm>

namespace TOFU_NS {

/** Positions of atoms at three times, [natoms][3] each. */
struct AtomPaths {
  const double *hold;      // origin of displacements
  const double *before;    // one step ago
  const double *now;
};

/** Extremes over some atoms; atoms with positions that are not numbers are left out. */
struct AtomTravel {
  double largest = 0.0;             // square of the largest distance from hold
  double fastest = 0.0;             // square of the largest distance in the last step
  double steps_at_current_speed;    // fewest until an atom is at the limit

  /** \param most   steps_at_current_speed if no atom gets there earlier; finite, not negative */
  explicit AtomTravel(double most) : steps_at_current_speed(most) {}

  void add(const AtomTravel &other)
  {
    largest = std::max(largest, other.largest);
    fastest = std::max(fastest, other.fastest);
    steps_at_current_speed = std::min(steps_at_current_speed, other.steps_at_current_speed);
  }
};

/** Square of the largest distance from hold to now; [natoms][3]. */
double largest_square(const double *hold, const double *now, int natoms);

/** Merge atoms into a result.

    \param paths    of the atoms
    \param natoms   # of atoms
    \param limit    largest allowed displacement, >= 0; an atom beyond it has 0 steps left
    \param closer   decrease of the limit in a step, >= 0
    \param travel   result; the same bits for any order of atoms */
void add_travel(const AtomPaths &paths, int natoms, double limit, double closer,
                AtomTravel &travel);

}    // namespace TOFU_NS

#endif
