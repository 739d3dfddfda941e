// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Pair forces between the first and last atoms of CHARMM dihedrals, which the
   dihedral styles weight and compute.
------------------------------------------------------------------------- */

#ifndef LMP_ONE_FOUR_ON_POOL_H
#define LMP_ONE_FOUR_ON_POOL_H

#include "bonded_on_pool.h"

#include "kernels/bonded/bonds.h"

#include <vector>

namespace LAMMPS_NS {

class OneFourOnPool : protected Pointers {
 public:
  OneFourOnPool(LAMMPS *);

  /** To be called in each init_style(). */
  void init();

  /** Whether a compute tallies pairs one by one, for which LAMMPS' own code has to compute them. */
  bool are_tallied() const { return tallied; }

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

  double memory_usage() const;

 private:
  BondedOnPool on_pool;
  std::vector<int> pairs;         // [..][3] first and last atom, and type of the dihedral
  std::vector<double> weights;    // [ntypes+1] when they were collected
  bool tallied = false;
};

}    // namespace LAMMPS_NS

#endif
