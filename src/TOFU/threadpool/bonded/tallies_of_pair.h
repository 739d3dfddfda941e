// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Energy and virial of pairs that a bonded style computes, and that count as
   those of the pair style; but newton is that of bonds.
------------------------------------------------------------------------- */

#ifndef LMP_TALLIES_OF_PAIR_H
#define LMP_TALLIES_OF_PAIR_H

#include "bonded_on_pool.h"

namespace LAMMPS_NS {

class TalliesOfPair : protected Pointers {
 public:
  TalliesOfPair(LAMMPS *lmp) : Pointers(lmp) {}

  /** To be called in each init_style(). */
  void init();

  /** Whether a compute tallies pairs one by one, for which LAMMPS' own code has to compute them. */
  bool are_listened_to() const { return listened_to; }

  /** What the pair style wants.  A virial that it takes from the sum of all forces has been
      computed before those of the bonded style are there: from here on it takes virials of pairs.

      \param evflag   of the bonded style; vflag_global likewise */
  BondedOnPool::Wanted wanted(int evflag, int vflag_global);

  /** Add to the sums of the pair style what it wanted. */
  void add(int evflag, const BondedOnPool::PairTally &);

 private:
  bool listened_to = false;
};

}    // namespace LAMMPS_NS

#endif
