// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Pairs of ReaxFF within the non-bonded cut-off, on the pool.

   Forces are added up by chunks of rows with the same number of entries: the number
   of chunks depends on that of the atoms alone, so that results do not depend on the
   number of parts.
------------------------------------------------------------------------- */

#ifndef LMP_FAR_PAIRS_ON_POOL_H
#define LMP_FAR_PAIRS_ON_POOL_H

#include "pointers.h"

#include "chunk_forces.h"

#include "kernels/data/gathered_atoms.h"
#include "kernels/reaxff/far_pairs.h"
#include "kernels/reaxff/far_rows.h"

#include <functional>
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
      \param elements   [ntypes+1] of types; -1: none */
  void find_rows(const class NeighList *list, const int *elements, int nchunks,
                 const TOFU_NS::Parts &parts);

  /** An atom that other work of a chunk changes, beside those of its pairs. */
  void reaches(int chunk, int i) { forces.reach.add(chunk, i); }

  /** Further work of a chunk, with forces [natoms][4] that are added to. */
  using Beside = std::function<void(int chunk, double *forces)>;

  /** Add forces to atom->f.

      \param empty    has arrays of energies or virials of atoms, if they are wanted
      \param parts    one, if they are wanted
      \return         energies and virial of this rank's pairs */
  TOFU_NS::PairTally compute(TOFU_NS::Tallies, const TOFU_NS::PairTally &empty, const Beside &,
                             const TOFU_NS::Parts &parts);

  TOFU_NS::PairRows rows() const { return selected.rows(); }
  double memory_usage() const;

 private:
  TOFU_NS::FarRows selected;
  TOFU_NS::GatheredAtoms atoms;
  ChunkForces forces;
  std::vector<int> first_row;                 // [chunks+1]
  std::vector<TOFU_NS::PairTally> tallies;    // [chunks]

  void deal_rows(int nchunks);

  void gather_atoms(const TOFU_NS::Parts &);
};

}    // namespace LAMMPS_NS

#endif
