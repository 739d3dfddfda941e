// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Pair forces of TIP4P water: charges of oxygens are at sites between the atoms
   of a molecule, and what these sites get is shared by its atoms.
------------------------------------------------------------------------- */

#ifndef LMP_TIP4P_ON_POOL_H
#define LMP_TIP4P_ON_POOL_H

#include "threadpool/pair/pair_on_pool.h"

#include "kernels/data/rows_without_type.h"
#include "kernels/sites/water_sites.h"

#include <string>
#include <vector>

namespace LAMMPS_NS {

/** The parameters of a model, in LAMMPS' names. */
struct Tip4pModel {
  int typeO = 0, typeH = 0;       // types of atoms
  double alpha = 0.0;             // weight of both hydrogens in the position of a site
  double cut_coulsqplus = 0.0;    // square of the distance within which atoms may have charges
                                  // that are within the cut-off
};

class Tip4pOnPool : protected Pointers {
 public:
  Tip4pOnPool(LAMMPS *lmp) : Pointers(lmp) {}

  /** In Pair::init_style(). */
  void reset() { made_of = {}; }

  /** Add forces to atom->f, energy and virial to those of the pair style, for which ev_init() has
      been called; newton_pair must be on.

      \param list      half list from Pair::init_list()
      \param charges   kernel of charges; positions of the job are sites, near_rows atoms
      \param lj        kernel of Lennard-Jones forces, which hydrogens have no part in; empty if
                       there are charges alone

      An error is raised if a rank lacks a hydrogen that it needs, as LAMMPS does. */
  void compute(class Pair *, class NeighList *list, PairOnPool &, const Tip4pModel &,
               const PairOnPool::Kernel &charges, const PairOnPool::Kernel &lj);

  double memory_usage() const;

 private:
  struct Unusable {    // oxygen
    int oxygen;
    bool missing;    // a hydrogen; else it has another type
  };

  /** A neighbor that must not come so near that its charge counts. */
  struct Watched {
    int row;    // owner of the row
    Unusable neighbor;
  };

  // made when lists are new

  std::vector<TOFU_NS::Water> waters;    // of owned and ghost oxygens, ascending
  std::vector<std::vector<TOFU_NS::Water>> waters_of_part;    // [nparts] those that it may change
  std::vector<Watched> watched;
  TOFU_NS::RowsWithoutType lj_rows;    // without hydrogens
  PairOnPool::ListState made_of;

  // of each step

  TOFU_NS::AlignedArray<double> sites;          // [nall][3]
  TOFU_NS::AlignedArray<double> positions;      // [nall+1][4] of atoms
  TOFU_NS::AlignedArray<std::int32_t> types;    // [nall+1]

  void find_waters(class NeighList *, PairOnPool &, const Tip4pModel &);
  void sort_out(class NeighList *, const std::vector<Unusable> &);
  void check_watched(const Tip4pModel &) const;
  [[noreturn]] void refuse(const Unusable &) const;
  void place(PairOnPool &, const Tip4pModel &);
  void reach_hydrogens(int part, TOFU_NS::PartReach &);
  void share(int part, const Tip4pModel &, const PairOnPool::PairJob &,
             const PairOnPool::PairTally &) const;
};

}    // namespace LAMMPS_NS

#endif
