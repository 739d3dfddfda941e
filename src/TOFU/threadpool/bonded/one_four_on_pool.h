// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Pair forces between the first and last atoms of CHARMM dihedrals, which the
   dihedral styles weight and compute.
------------------------------------------------------------------------- */

#ifndef LMP_ONE_FOUR_ON_POOL_H
#define LMP_ONE_FOUR_ON_POOL_H

#include "outer_pairs.h"
#include "tallies_of_pair.h"

#include "kernels/bonded/bonds.h"

namespace LAMMPS_NS {

class OneFourOnPool : protected Pointers {
 public:
  OneFourOnPool(LAMMPS *);

  /** To be called in each init_style(). */
  void init();

  /** Whether a compute tallies pairs one by one, for which LAMMPS' own code has to compute them. */
  bool are_tallied() const { return tallies.are_listened_to(); }

  /** Find the pairs of the dihedral list, if they may have changed.

      \param weight   [ndihedraltypes+1] of types, where there are no pairs if it is 0
      \param anew     the list of dihedrals may have changed */
  void collect(const double *weight, bool anew);

  /** Add forces to atom->f, energy and virial to those of the pair style.

      \param evflag         of the dihedral style; vflag_global likewise
      \param tables         those of Lennard-Jones, and settings; the others are set here
      \param coefficients   the first is the weight */
  void compute(int evflag, int vflag_global, TOFU_NS::OneFourTables tables,
               const TOFU_NS::BondedCoefficients &coefficients);

  double memory_usage() const { return pairs.memory_usage(); }

 private:
  OuterPairs pairs;
  TalliesOfPair tallies;
};

}    // namespace LAMMPS_NS

#endif
