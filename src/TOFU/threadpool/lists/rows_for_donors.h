// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// Rows that this rank, a receiver of fix ring/balance, makes for other ranks, the donors.  A given
// atom is one that its owner, the donor, has given to the receiver with its row.
//
// A pair of a given atom and another one is found by two ranks, which have to agree in whose row a
// half list has it.  region_transfer.h has the rule for two atoms of the donor.  For a given atom
// and a ghost of the donor the rule of the lists without the fix holds, which the owner of the
// ghost uses as well: it compares coordinates, and these are the donor's here, to the last bit.  If
// ghosts come from upper neighbors only, the receiver has the pairs of given atoms with all ghosts
// of the donor.

#ifndef LMP_ROWS_FOR_DONORS_H
#define LMP_ROWS_FOR_DONORS_H

#include "pointers.h"

#include "kernels/data/row_arena.h"
#include "pair_rules.h"

#include <memory>
#include <vector>

namespace TOFU_NS {
class CellGrid;
class ReceivedRegion;
}    // namespace TOFU_NS

namespace LAMMPS_NS {

class RowsForDonors : protected Pointers {
 public:
  /** \param rules   of the list that the rows belong to; must outlive this object */
  RowsForDonors(LAMMPS *, const PairRules &rules);
  ~RowsForDonors() override;

  /** Forget the rows that were made. */
  void reset();

  /** Make rows for another rank.

      \param region   of the donor, whose given atoms get rows
      \param local    [natoms] indices of its atoms here
      \param to       gets the rows, which are valid until reset() */
  void add(const TOFU_NS::ReceivedRegion &region, const std::vector<int> &local,
           class RingNeighList &to);

  double memory_usage() const;

 private:
  struct Row {
    int *entries;
    int n;
  };
  struct Part {
    TOFU_NS::RowArena arena;
    std::vector<int> found;    // neighbors of one atom
  };

  const PairRules &rules;
  const std::unique_ptr<TOFU_NS::CellGrid> grid;
  std::vector<std::unique_ptr<Part>> parts;
  std::vector<Row> rows;          // [ngiven] of the region at hand
  std::vector<double> local_x;    // [natoms][3] of the region at hand, for full lists

  const double *positions_here(const std::vector<int> &local);
  Row make_full_row(int k, int i, Part &) const;
  Row make_half_row(const TOFU_NS::ReceivedRegion &, const std::vector<int> &local, int k,
                    Part &) const;
  int keep_received_pairs(const TOFU_NS::ReceivedRegion &, int k, std::vector<int> &found,
                          int n) const;
};

}    // namespace LAMMPS_NS

#endif
