// SPDX-License-Identifier: GPL-2.0-only
//
// Contacts of spheres: spring and dashpot along the line of the centers, and across it a dashpot
// with a friction limit, with or without a spring, whose length is the history of the contact
// (Silbert et al., Phys Rev E 64, 051302).

#ifndef TOFU_KERNELS_CONTACTS_H
#define TOFU_KERNELS_CONTACTS_H

#include "contact_data.h"

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
  double dt = 0.0;                      // time; 0: the history of contacts does not change
  bool limit_damping = false;           // no attraction
};

/** Compute all pairs; i is one of the part's own atoms.

    \param nlocal   atoms that this rank owns
    \param virial   [6] xx, yy, zz, xy, xz, yz, added to; nullptr if not wanted */
void contacts(const ContactCoefficients &, const Spheres &, const ContactPairs &,
              const ContactForces &, int nlocal, double *virial);

}    // namespace TOFU_NS

#endif
