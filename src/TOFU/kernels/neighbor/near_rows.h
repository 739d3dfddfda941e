// SPDX-License-Identifier: GPL-2.0-only
//
// NearRows: the near neighbors in a list, for potentials with a cut-off much shorter than that of
// the list.
//
// The rows have a skin of their own, a part of the skin of the list, and are valid until some atom
// has moved by half of it; then they are made from the list again.  Neighbors within the cut-off
// have the same order in these rows as in the list, so that results do not depend on the step at
// which the rows were made.

#ifndef TOFU_KERNELS_NEAR_ROWS_H
#define TOFU_KERNELS_NEAR_ROWS_H

#include "base/aligned_array.h"
#include "kernels/data/pair_data.h"
#include "kernels/data/row_arena.h"

#include <vector>

namespace TOFU_NS {

class NearRows {
 public:
  /** Begin new rows; to be followed by fill() for all of them.

      \param natoms   # of atoms that may be in a row
      \param reach    cut-off and skin, distance
      \param skin     of these rows */
  void reset(int nparts, int natoms, double reach, double skin);

  /** Copy the near neighbors from the rows [first, last) of a list.

      \param part   number of this part; other parts may fill other rows at the same time */
  void fill(int part, const PairRows &, const PairAtoms &, int first, int last);

  /** Store the positions of atoms [first, last). */
  void hold(const PairAtoms &, int first, int last);

  /** Whether an atom in [first, last) has moved so far that the rows may lack a neighbor. */
  bool moved(const PairAtoms &, int first, int last) const;

  /** The near rows, with the owners of the list. */
  PairRows rows(const PairRows &list) const
  {
    return {list.nrows, list.atoms, first_.data(), nneighbors_.data(), nullptr};
  }

  double nbytes() const;

 private:
  double reach_ = 0.0, allowed_ = 0.0;    // square of the largest allowed displacement
  std::vector<RowArena> arenas_;          // [nparts]
  std::vector<int *> first_;              // [natoms]
  std::vector<int> nneighbors_;           // [natoms]
  AlignedArray<double> held_;             // [natoms][4]
};

}    // namespace TOFU_NS

#endif
