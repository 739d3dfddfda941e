// SPDX-License-Identifier: GPL-2.0-only
//
// Data of the kernels of contacts: spheres, pairs of spheres that may be in contact, and
// destinations of their forces.

#ifndef TOFU_KERNELS_CONTACT_DATA_H
#define TOFU_KERNELS_CONTACT_DATA_H

#include "kernels/data/pair_data.h"

#include <vector>

namespace TOFU_NS {

/** Arrays of the caller. */
struct Spheres {
  const double *x = nullptr, *v = nullptr, *omega = nullptr;    // [natoms][3]
  const double *radius = nullptr, *mass = nullptr;              // [natoms]
  const int *mask = nullptr;                                    // [natoms] groups
  int frozen = 0;    // bit of the group that does not move and has infinite mass; 0: none
};

/** Pairs of a half list, row after row, since most rows have few entries.  Behind the last pair
    there are ROW_PADDING more, of any atoms, which have no effect. */
struct ContactPairs {
  int n = 0;
  const int *i = nullptr, *j = nullptr;    // [n+ROW_PADDING]
  int *touch = nullptr;         // [n] 1: in contact at the last step; nullptr: no history
  double *history = nullptr;    // [n][nhistory] such as the sliding distance; 0 without contact
  int nhistory = 3;             // # of values of a pair
};

/** Force, torque and heat of an atom of another part, to be subtracted by that part. */
struct ContactReaction {
  int j;
  double force[3], torque[3], heat;
};

/** Atoms that a part may change. */
struct OwnAtoms {
  int first = 0, last = 0;                // of those that this rank owns
  int first_ghost = 0, last_ghost = 0;    // of ghosts; none if they get no forces

  bool has(int j) const { return (j >= first && j < last) || (j >= first_ghost && j < last_ghost); }
};

struct ContactForces {
  double *f = nullptr, *torque = nullptr;            // [natoms][3]
  double *heat = nullptr;                            // [natoms] energy/time; nullptr: none flows
  OwnAtoms own;                                      // whose forces are added to at once
  bool ghosts_get_forces = false;                    // newton on
  std::vector<ContactReaction> *others = nullptr;    // gets the forces on atoms of other parts
};

}    // namespace TOFU_NS

#endif
