// SPDX-License-Identifier: GPL-2.0-only
//
// Types of fix dplr: which type each atom type is in the model of dipoles, by the types that
// pair_coeff gives the deep potential.

#ifndef LMP_DPLR_TYPES_H
#define LMP_DPLR_TYPES_H

#include <vector>

namespace LAMMPS_NS {

struct DPLRTypes {
  std::vector<int> numbers;    // [ntypes+1] type of the model, negative: not an atom
  double pair_cutoff = 0.0;    // of the pair style, distance

  /** In init().  An error if there is no pair_style deepmd with the suffix.

      \param pair_number   which of several sub-styles deepmd; 0: the only one */
  void find(class LAMMPS *, int pair_number, const class WannierDipoles &);

  /** After find(): an error if a Wannier center has a type of the deep potential, or if other atoms
      have dipoles than have centers. */
  void check(LAMMPS *, const WannierDipoles &, const class WannierPairs &) const;
};

}    // namespace LAMMPS_NS

#endif
