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

#include "kernels/data/gathered_atoms.h"
#include "kernels/neighbor/cell_grid.h"
#include "kernels/reaxff/bond_orders.h"
#include "kernels/reaxff/bond_rows.h"
#include "kernels/reaxff/far_pairs.h"
#include "kernels/reaxff/far_rows.h"
#include "kernels/reaxff/hydrogen_bonds.h"
#include "lammps/last_build.h"
#include "pool/part_sums.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace LAMMPS_NS {

class ReaxFFOnPool : protected Pointers {
 public:
  explicit ReaxFFOnPool(class LAMMPS *);

  /** In Pair::init_style(): Neighbor may have replaced its lists. */
  void reset();

  // parameters, set by the style

  TOFU_NS::ReaxTables tables;
  std::unique_ptr<TOFU_NS::FarPairs> far_parameters;

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

  int nchunks = 1;    // of this step
  std::vector<int> element_of;
  std::vector<std::int64_t> tags;
  TOFU_NS::ReaxSystem system;
  TOFU_NS::BondRows rows;
  std::size_t nbonds = 0;    // of its bonds in use
  TOFU_NS::HydrogenRows hydrogens;
  std::vector<TOFU_NS::ReaxTally> tallies;    // [chunks]
  std::vector<TOFU_NS::PairTally> far_tallies;

  // candidates for bonds and for acceptors, until some atom has moved by half of the skin

  struct Candidates {
    int part = -1;    // in whose memory they are; -1: not looked for yet
    std::size_t first = 0;
    int n = 0;
  };
  TOFU_NS::LastBuild searched;
  std::vector<int> searched_elements;    // [natoms] then
  double skin = 0.0;
  TOFU_NS::CellGrid grid;                            // of bonds
  std::vector<double> searched_x;                    // [natoms][3]
  std::vector<Candidates> candidates;                // [natoms]
  std::vector<std::vector<int>> candidate_memory;    // [nparts]
  std::vector<std::vector<TOFU_NS::RawBond>> raw;    // [nparts]
  std::vector<std::vector<int>> raw_counts;          // [nparts]
  std::vector<int> row_of;                           // [natoms]

  // pairs within the non-bonded cut-off

  TOFU_NS::FarRows far_rows;
  TOFU_NS::GatheredAtoms far_atoms;
  TOFU_NS::PartReach far_reach;       // of chunks
  TOFU_NS::PartSums far_forces{4};    // of chunks

  void for_parts(const std::function<void(int part)> &);
  void for_chunks(bool one_at_a_time, const std::function<void(int chunk)> &);
  template <class Work> void share_rows(int n, Work &&);

  void begin_step(const Wanted &);
  bool has_moved();
  void search(const class NeighList *);
  template <class Use> void for_listed_pairs(const class NeighList *, const Use &) const;
  void take_candidates(const class NeighList *);
  void find_candidates(int i, int part, std::vector<int> &found);
  bool begin_acceptors();
  void take_acceptors(const class NeighList *);
  void find_acceptors();
  void sort_by_acceptor();
  void find_bonds();
  void add_rows(int first, int last);
  int mark_neighbors(int first, int last);
  void link_bonds();
  void sum_orders();
  void bonded_terms(const Wanted &);
  void slopes(const Wanted &);
  void find_far_rows(class NeighList *, const int *elements);
  void far_terms(const Wanted &);
  void polarization(const Wanted &, TOFU_NS::ReaxTally &) const;
  void softness_terms(const Wanted &, TOFU_NS::ReaxTally &) const;
};

}    // namespace LAMMPS_NS

#endif
