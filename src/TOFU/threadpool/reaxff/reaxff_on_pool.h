// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   ReaxFF on the pool: bonds of owned atoms and of ghosts up to three bonds away,
   the terms of owned atoms, and pairs within the non-bonded cut-off.

   Each pass writes to rows of its own atoms alone (kernels/reaxff/bond_rows.h).
   Sums are made over chunks of atoms, whose number depends on that of the atoms
   alone, so that results do not depend on the number of parts.
------------------------------------------------------------------------- */

#ifndef LMP_REAXFF_ON_POOL_H
#define LMP_REAXFF_ON_POOL_H

#include "pointers.h"

#include "bond_search.h"
#include "far_pairs_on_pool.h"

#include "base/parts.h"
#include "kernels/reaxff/bond_orders.h"
#include "kernels/reaxff/bond_rows.h"
#include "kernels/reaxff/hydrogen_bonds.h"
#include "lammps/last_build.h"

#include <cstdint>
#include <vector>

namespace LAMMPS_NS {

class ReaxFFOnPool : protected Pointers {
 public:
  explicit ReaxFFOnPool(class LAMMPS *);

  /** In Pair::init_style(): Neighbor may have replaced its lists. */
  void reset();

  // parameters, set by the style

  TOFU_NS::ReaxTables tables;
  FarPairsOnPool far_pairs;

  /** Whether some near pairs are not in the list: those of neigh_modify exclude and of special
      bonds.  Pairs are taken from the list then, which must have rows of ghosts. */
  bool some_are_excluded = false;

  struct Wanted {
    const int *elements = nullptr;    // [ntypes+1] of types; -1: none
    bool energy = false, virial = false;
    double *eatom = nullptr;              // [nlocal+nghost] if wanted
    double (*vatom)[6] = nullptr;         // likewise
    const double *potential = nullptr;    // [nlocal+nghost] u of ACKS2, or nullptr
  };

  /** Add forces to atom->f.

      \param list   half, newton off: rows of owned atoms
      \return       energies and virial of this rank */
  TOFU_NS::ReaxTally compute(class NeighList *list, const Wanted &);

  /** Bonds of the last compute(). */
  const TOFU_NS::BondRows &bond_rows() const { return rows; }

  double memory_usage() const;

 private:
  class RankPool *rank_pool;

  // of a step; chunks are as many as the number of atoms wants, whatever the parts are

  TOFU_NS::Parts parts;
  TOFU_NS::Parts chunk_parts;    // that share chunks
  int nchunks = 1;
  TOFU_NS::ReaxTally empty;
  std::vector<TOFU_NS::ReaxTally> tallies;    // [chunks]

  std::vector<int> element_of;       // [natoms]
  std::vector<std::int64_t> tags;    // [natoms]
  TOFU_NS::ReaxSystem system;
  TOFU_NS::BondRows rows;
  std::size_t nbonds = 0;    // of its bonds in use
  TOFU_NS::HydrogenRows hydrogens;

  BondSearch search;
  TOFU_NS::LastBuild searched;
  std::vector<int> searched_elements;    // [natoms] when lists were new
  std::vector<std::vector<int>>
      ghosts_of_part;         // [nparts] neighbors of rows that were added last
  std::vector<int> row_of;    // [natoms]

  void begin_step(const Wanted &);
  void find_lists(NeighList *, const Wanted &);
  void find_bonds();
  void add_rows(int first, int last);
  int add_rows_of_ghosts();
  void link_bonds();
  void sum_orders();
  void bonded_terms(int chunk, double *forces);
  void add_terms(const Wanted &, TOFU_NS::ReaxTally &sum);
  void slopes();
  void polarization(const Wanted &, TOFU_NS::ReaxTally &) const;
  void softness_terms(const Wanted &, TOFU_NS::ReaxTally &) const;
};

}    // namespace LAMMPS_NS

#endif
