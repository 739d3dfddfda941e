// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Pairs of ReaxFF within the non-bonded cut-off, on the pool.

   Forces are added up by chunks of rows, whose number the caller chooses by the
   number of atoms, so that results do not depend on the number of parts.
------------------------------------------------------------------------- */

#ifndef LMP_FAR_PAIRS_ON_POOL_H
#define LMP_FAR_PAIRS_ON_POOL_H

#include "pointers.h"

#include "kernels/data/gathered_atoms.h"
#include "kernels/reaxff/far_pairs.h"
#include "kernels/reaxff/far_rows.h"
#include "pool/part_sums.h"

#include <memory>
#include <vector>

namespace TOFU_NS {
class Parts;
}

namespace LAMMPS_NS {

class FarPairsOnPool : protected Pointers {
 public:
  using Pointers::Pointers;

  /** Set by the style. */
  std::unique_ptr<TOFU_NS::FarPairs> parameters;

  /** Select the pairs that this rank computes, with each new list.

      \param list       half, newton off
      \param elements   [ntypes+1] of types; -1: none
      \param chunks     of rows, as many as in compute() */
  void find_rows(const class NeighList *list, const int *elements, const TOFU_NS::Parts &parts,
                 const TOFU_NS::Parts &chunks);

  /** Add forces to atom->f.

      \param chunks    one after the other if energies or virials of atoms are wanted
      \param empty     has the arrays of these, if they are wanted
      \return          energies and virial of this rank */
  TOFU_NS::PairTally compute(TOFU_NS::Tallies, const TOFU_NS::PairTally &empty,
                             const TOFU_NS::Parts &parts, const TOFU_NS::Parts &chunks);

  TOFU_NS::PairRows rows() const { return selected.rows(); }
  double memory_usage() const;

 private:
  TOFU_NS::FarRows selected;
  TOFU_NS::GatheredAtoms atoms;
  TOFU_NS::PartReach reach;                   // of chunks
  TOFU_NS::PartSums forces{4};                // of chunks
  std::vector<TOFU_NS::PairTally> tallies;    // [chunks]

  void gather_atoms(const TOFU_NS::Parts &);
};

}    // namespace LAMMPS_NS

#endif
