// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Half neighbor lists where ghosts come from the upper neighbors only.

   LAMMPS' own half lists with newton on decide by coordinates which of two
   ranks stores a pair of an owned and a ghost atom, and expect ghosts from
   all directions.  With the half shell that decision is made by the exchange:
   of two ranks only the lower one has the other's atom as a ghost.  So every
   pair of an owned and a ghost atom is stored, and every pair of owned atoms
   once.

   Each object owns the stock one in whose place it stands and leaves the work
   to that one whenever the communication style has the full shell.
------------------------------------------------------------------------- */

#ifndef LMP_NPAIR_HALF_SHELL_H
#define LMP_NPAIR_HALF_SHELL_H

#include "npair.h"

#include <memory>
#include <vector>

namespace LAMMPS_NS {

class NPairHalfShell : public NPair {
 public:
  /** \param stock   what Neighbor chose for the list; owned from now on
      \param size    1 if cut-offs are sums of radii */
  NPairHalfShell(class LAMMPS *, NPair *stock, int size);

  void copy_neighbor_info() override;
  void build(class NeighList *) override;

 private:
  struct Candidates {    // atoms of one bin, then those of its stencil; [n] each
    std::vector<int> index, type;
    std::vector<double> x, y, z, radius;
    int n = 0, nowned = 0;    // nowned = # of owned atoms in the bin itself; they come first
  };

  std::unique_ptr<NPair> stock;
  int size;
  int nall = 0;    // # of owned atoms and of ghosts that have pairs

  std::vector<int> ghosthead;       // [mbins] first ghost in the bin, -1 none
  std::vector<char> near_ghosts;    // [mbins] 1 if a ghost is in the lower half of the stencil
  Candidates candidates;
  std::vector<double> rsq;    // [candidates]
  std::vector<int> row;       // [candidates] neighbors of one atom

  void find_ghosts();
  void gather(int ibin);
  void gather_chain(int first);
  void grow_candidates();
  template <int SIZE> void build_rows(class NeighList *);
  template <int SIZE> int find_neighbors(int m, int history);
  int drop_excluded(int i, int n);
  int mark_special(int i, int n);
};

}    // namespace LAMMPS_NS

#endif
