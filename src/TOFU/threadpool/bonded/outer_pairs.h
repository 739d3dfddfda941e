// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Pairs of the first and last atoms of angles or dihedrals, whose styles compute
   forces between them, too.
------------------------------------------------------------------------- */

#ifndef LMP_OUTER_PAIRS_H
#define LMP_OUTER_PAIRS_H

#include "bonded_on_pool.h"

#include <vector>

namespace LAMMPS_NS {

class OuterPairs {
 public:
  /** \param natoms   of an interaction: 3 or 4 */
  OuterPairs(class LAMMPS *, int natoms);

  /** To be called in each init_style(). */
  void init();

  /** Find the pairs of a list, if they may have changed.

      \param weights   [ntypes+1] of types, where there are no pairs if it is 0
      \param anew      the list may have changed */
  void collect(const BondedOnPool::List &, const std::vector<double> &weights, bool anew);

  /** As BondedOnPool::compute(), for a kernel of two atoms; their types are those of the list. */
  BondedOnPool::PairTally compute(const BondedOnPool::Wanted &, const BondedOnPool::Kernel &);

  double memory_usage() const;

 private:
  BondedOnPool on_pool;
  const int natoms;
  std::vector<int> pairs;               // [..][3] first and last atom, and type of the interaction
  std::vector<double> known_weights;    // when they were collected
};

}    // namespace LAMMPS_NS

#endif
