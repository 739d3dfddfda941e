// SPDX-License-Identifier: GPL-2.0-only
//
// Kernels of integrators and of a constant gravity.

#ifndef TOFU_KERNELS_ATOM_MOTION_H
#define TOFU_KERNELS_ATOM_MOTION_H

namespace TOFU_NS {

/** Masses of a range of atoms, and their groups. */
struct AtomMasses {
  int natoms = 0;
  const double *of_atoms = nullptr;    // [natoms]; nullptr: masses of types
  const double *of_types = nullptr;    // [ntypes+1]
  const int *types = nullptr;          // [natoms]
  bool one_type = false;               // all atoms have type 1
  const int *mask = nullptr;           // [natoms] groups; nullptr: all atoms are changed
  int group = 0;                       // bit of those that are changed

  /** The masses of atoms [first, last). */
  AtomMasses part(int first, int last) const
  {
    return {last - first, of_atoms ? of_atoms + first : nullptr, of_types, types + first,
            one_type,     mask ? mask + first : nullptr,         group};
  }
};

/** v += factor / mass * f, then x += time * v.

    \param v        [natoms][3]
    \param f        [natoms][3]; nullptr: v stays
    \param x        [natoms][3]; nullptr: positions stay */
void kick_and_move_atoms(const AtomMasses &, double factor, const double *f, double *v, double time,
                         double *x);

/** omega += factor / (radius^2 mass) * torque.

    \param radius          [natoms]
    \param torque, omega   [natoms][3] */
void turn_atoms(const AtomMasses &, double factor, const double *radius, const double *torque,
                double *omega);

/** f += mass * acceleration.

    \param acceleration   [3]
    \param x, f           [natoms][3]
    \return               sum of mass * acceleration * x over the group, in as many sums as vectors
                          have lanes */
double pull_atoms(const AtomMasses &, const double *acceleration, const double *x, double *f);

}    // namespace TOFU_NS

#endif
