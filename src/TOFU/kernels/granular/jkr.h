// SPDX-License-Identifier: GPL-2.0-only
//
// Adhesion by Johnson, Kendall and Roberts, Proc R Soc A 324, 301 (1971), one contact at a time.
// Differences of large numbers become small near the end of a contact: these functions are not
// compiled for each instruction set, so that they round as LAMMPS does.

#ifndef TOFU_KERNELS_JKR_H
#define TOFU_KERNELS_JKR_H

namespace TOFU_NS {

/** Two spheres: energy/distance^2, elastic modulus of both, and radius of both, r1 r2/(r1+r2). */
struct JkrSpheres {
  double cohesion, modulus, reff;
};

/** Largest distance of the surfaces of two spheres that have been in contact. */
double jkr_reach(const JkrSpheres &);

/** Radius of the contact.

    \param depth   of the overlap; negative beyond contact */
double jkr_radius(const JkrSpheres &, double depth);

}    // namespace TOFU_NS

#endif
