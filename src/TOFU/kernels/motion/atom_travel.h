// SPDX-License-Identifier: GPL-2.0-only
//
// Displacements of atoms since a time.

#ifndef TOFU_KERNELS_ATOM_TRAVEL_H
#define TOFU_KERNELS_ATOM_TRAVEL_H

namespace TOFU_NS {

/** Square of the largest distance from hold to now; [natoms][3]. */
double largest_square(const double *hold, const double *now, int natoms);

}    // namespace TOFU_NS

#endif
