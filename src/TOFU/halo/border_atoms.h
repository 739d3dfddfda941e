// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_HALO_BORDER_ATOMS_H
#define TOFU_HALO_BORDER_ATOMS_H

namespace TOFU_NS {

/** Owned atoms that may be ghosts of other ranks, and the ghost cut-off of each kind of atom. */
struct BorderAtoms {
  const double *x;    // [natoms][3] coordinates, distance or fraction of the box
  int natoms;
  const int *kind;      // [natoms] row of `cut` for each atom; nullptr: all have row 0
  const double *cut;    // [nkinds][3] ghost cut-off of each kind, per dimension
  int nkinds;
};

}    // namespace TOFU_NS

#endif
