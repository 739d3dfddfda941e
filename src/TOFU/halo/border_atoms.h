// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_HALO_BORDER_ATOMS_H
#define TOFU_HALO_BORDER_ATOMS_H

namespace TOFU_NS {

/** The atoms to look at and how far each kind is wanted. */
struct BorderAtoms {
  const double *x;    // [natoms][3] coordinates, distance or fraction of the box
  int natoms;
  const int *kind;      // [natoms] row of `cut` for each atom; nullptr: all have row 0
  const double *cut;    // [nkinds][3] how far ghosts of this kind are needed, per dimension
  int nkinds;
};

}    // namespace TOFU_NS

#endif
