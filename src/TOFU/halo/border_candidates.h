// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_HALO_BORDER_CANDIDATES_H
#define TOFU_HALO_BORDER_CANDIDATES_H

namespace TOFU_NS {

/** The atoms from which swaps select, all owned ones or those of the group that has ghosts, and the
    ghost cut-off of each kind of atom: collection (comm_modify mode multi) or type (multi/old). */
struct BorderCandidates {
  const double *x;    // [natoms][3] coordinates in the units of the plan
  int natoms;
  const int *kind;      // [natoms] row of `cut` for each atom; nullptr: all have row 0
  const double *cut;    // [nkinds][3] ghost cut-off of each kind, per dimension
  int nkinds;
};

}    // namespace TOFU_NS

#endif
