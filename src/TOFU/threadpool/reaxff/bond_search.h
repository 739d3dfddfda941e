// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Atoms that may be bonded to each other, and acceptors that may have hydrogen bonds.
   Both are found with a skin, and hold until some atom has moved by half of it.

   They are those within the reach of the bonds of their elements, or if some pairs are
   excluded from the neighbor list, those of them that the list has.
------------------------------------------------------------------------- */

#ifndef LMP_BOND_SEARCH_H
#define LMP_BOND_SEARCH_H

#include "kernels/neighbor/cell_grid.h"
#include "kernels/reaxff/bond_rows.h"
#include "kernels/reaxff/hydrogen_bonds.h"

#include <vector>

namespace TOFU_NS {
class Parts;
}

namespace LAMMPS_NS {

class BondSearch {
 public:
  /** Candidates for bonds of an atom, by index. */
  struct Candidates {
    const int *atoms;
    int n;
  };

  /** Find candidates of owned atoms, and acceptors.

      \param list   half, newton off, with rows of ghosts: its pairs alone count; nullptr: all do
      \param hydrogens   gets acceptors of owned atoms */
  void find(const TOFU_NS::ReaxSystem &, int nlocal, const class NeighList *list,
            TOFU_NS::HydrogenRows &hydrogens, const TOFU_NS::Parts &);

  /** Whether results may be out of date. */
  bool has_moved(const TOFU_NS::ReaxSystem &, const TOFU_NS::Parts &) const;

  /** Find candidates of a ghost, unless they are known.  Those of the ghosts of different parts may
      be found at the same time, but none be read. */
  void add_ghost(const TOFU_NS::ReaxSystem &, int atom, int part);

  /** Of owned atoms, and of ghosts that were added. */
  Candidates of(int atom) const
  {
    const Place &place = places[atom];
    if (place.n == 0) return {nullptr, 0};
    return {&memory[place.part][place.first], place.n};
  }

  double nbytes() const;

 private:
  struct Place {
    int part = -1;    // in whose memory; -1: not looked for yet
    int first = 0, n = 0;
  };

  TOFU_NS::CellGrid grid;
  std::vector<double> x;                   // [natoms][3] when atoms were searched
  std::vector<Place> places;               // [natoms] of candidates
  std::vector<std::vector<int>> memory;    // [nparts]

  void find_candidates(const TOFU_NS::ReaxSystem &, int atom, int part, std::vector<int> &near);
  void take_candidates(const TOFU_NS::ReaxSystem &, const NeighList *);
  void find_acceptors(const TOFU_NS::ReaxSystem &, TOFU_NS::HydrogenRows &, const TOFU_NS::Parts &);
  void take_acceptors(const TOFU_NS::ReaxSystem &, const NeighList *, TOFU_NS::HydrogenRows &);
};

}    // namespace LAMMPS_NS

#endif
