// SPDX-License-Identifier: GPL-2.0-only
//
// Contacts of spheres: spring and dashpot along the line of the centers, dashpot with a friction
// limit across, with or without a spring there, that is, a history of how far they have slid
// (Silbert et al., Phys Rev E 64, 051302).
//
// Few entries of a list are contacts, so contacts are collected over several rows first, which
// fills the vectors.

#ifndef TOFU_KERNELS_CONTACTS_H
#define TOFU_KERNELS_CONTACTS_H

#include "pair_data.h"

#include <vector>

namespace TOFU_NS {

enum class ContactLaw {
  HOOKE_HISTORY,
  HERTZ_HISTORY,    // springs and dashpots become stiffer with the area of the contact
  HOOKE             // without a history
};

struct ContactCoefficients {
  ContactLaw law = ContactLaw::HOOKE_HISTORY;
  double kn = 0.0, kt = 0.0;            // springs, force/distance
  double gamman = 0.0, gammat = 0.0;    // dashpots, 1/time
  double xmu = 0.0;                     // friction
  double dt = 0.0;                      // time; 0: the history of contacts is not changed
  bool limit_damping = false;           // no attraction
};

/** Spheres as the kernel sees them; the last one is far away. */
struct Spheres {
  const double *place = nullptr;    // [natoms+1][4] x, y, z, radius
  const double *mass = nullptr;     // [natoms] negative: does not move, so infinitely heavy
  const double *v = nullptr, *omega = nullptr;    // [natoms][3]
};

/** Pairs of a half list, row after row, for rows of any length: most have few entries.  Behind the
    last there are ROW_PADDING more, of the atom that is far away. */
struct ContactPairs {
  int n = 0;
  const int *i = nullptr, *j = nullptr;    // [n+ROW_PADDING]
  int *touch = nullptr;                    // [n] 1 if in contact at the last step; not with HOOKE
  double *slide = nullptr;                 // [n][3] distance, 0 if not in contact; likewise
};

/** Force and torque on an atom of another part, to be subtracted by that part. */
struct ContactReaction {
  int j;
  double force[3], torque[3];
};

/** Atoms that a part may change. */
struct OwnAtoms {
  int first = 0, last = 0;                // of those that this rank owns
  int first_ghost = 0, last_ghost = 0;    // of ghosts; none if they get no forces

  bool has(int j) const { return (j >= first && j < last) || (j >= first_ghost && j < last_ghost); }
};

struct ContactForces {
  double *f = nullptr, *torque = nullptr;            // [natoms][3]
  OwnAtoms own;                                      // added to at once
  bool ghosts_get_forces = false;                    // newton on
  std::vector<ContactReaction> *others = nullptr;    // appended to for atoms that other parts own
};

/** All of these pairs; i is one of the part's own atoms.

    \param nlocal   atoms that this rank owns
    \param virial   [6] xx, yy, zz, xy, xz, yz, added to; nullptr if not wanted */
void contacts(const ContactCoefficients &, const Spheres &, const ContactPairs &,
              const ContactForces &, int nlocal, double *virial);

}    // namespace TOFU_NS

#endif
