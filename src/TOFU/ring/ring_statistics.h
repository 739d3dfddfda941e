// SPDX-License-Identifier: GPL-2.0-only
//
// RingStatistics: what fix ring/balance reports of a run.

#ifndef LMP_RING_STATISTICS_H
#define LMP_RING_STATISTICS_H

#include "pointers.h"

#include "balance/row_counts.h"

#include <vector>

namespace LAMMPS_NS {

class RingStatistics : protected Pointers {
 public:
  explicit RingStatistics(LAMMPS *lmp) : Pointers(lmp) {}

  TOFU_NS::RowCounts counts;    // of this rank

  void init();

  /** To be called when `counts` changes: what all ranks have gathered is out of date. */
  void outdate() { gathered = false; }

  /** Another build with transfers.

      \param as_atoms   receivers build the rows */
  void add_hand_over(bool as_atoms) { (as_atoms ? nas_atoms : nas_rows)++; }

  /** The vector of the fix: imbalance without it and with it, atoms handed over, extra ghosts, and
      bytes of their positions and forces.  Collective, as the functions below. */
  double vector(int n);

  /** The array of the fix, by rank: a number of its RowCounts. */
  double array(int rank, int column);

  /** Write a line to screen and log. */
  void print(bigint nplans);

 private:
  std::vector<TOFU_NS::RowCounts> of_ranks;    // [nprocs] if gathered
  bool gathered = false;
  bigint nas_atoms = 0, nas_rows = 0;

  void gather();
};

}    // namespace LAMMPS_NS

#endif
