// SPDX-License-Identifier: GPL-2.0-only
//
// Self forces of charges on a mesh with differentiated weights, as in PPPM: a series of two terms
// in each dimension (Ballenegger, Cerda and Holm, J. Chem. Theory Comput. 8, 936 (2012)).

#ifndef TOFU_KERNELS_SELF_FORCES_H
#define TOFU_KERNELS_SELF_FORCES_H

namespace TOFU_NS {

struct SelfForces {
  double delinv[3] = {0.0, 0.0, 0.0};    // 1/distance; points of the mesh per length
  double coeff[6] = {};                  // of sin(2 pi s) and sin(4 pi s), by dimension
};

/** Subtract the self forces from fields of atoms.

    \param x       [natoms][3] distance
    \param q       [natoms] charge
    \param field   [natoms][3] */
void subtract_self_forces(const SelfForces &, const double *x, const double *q, int natoms,
                          double *field);

}    // namespace TOFU_NS

#endif
