// SPDX-License-Identifier: GPL-2.0-only
//
// RowLists: the neighbor lists of pair styles, and the lists that these styles get in their place
// while ranks compute rows for each other.

#ifndef LMP_ROW_LISTS_H
#define LMP_ROW_LISTS_H

#include "pointers.h"

#include "lammps/ring_neigh_list.h"

#include <memory>
#include <string>
#include <vector>

namespace LAMMPS_NS {

class RowLists : protected Pointers {
 public:
  struct List {
    class Pair *pair;
    class NeighList *stock;                      // built by Neighbor
    class NPairThreadpool *builder = nullptr;    // of `stock`, if receivers_can_build()
    std::unique_ptr<RingNeighList> own;          // that the style has in its place after install()
    std::vector<char> has_row;                   // [nlocal] in stock, after mark_rows()
  };

  explicit RowLists(LAMMPS *lmp) : Pointers(lmp) {}

  /** In init(): detect code that reads Neighbor's lists without a request of its own. */
  void init();

  /** Find the lists of the pair styles in use, before and after each build.

      \return   why rows cannot be handed over, or "" */
  std::string find();

  /** Whether a receiver can build the rows of given atoms itself: all lists are built by the suffix
      threadpool, and nothing else reads them, since they lack these rows at the donor.  The same on
      all ranks. */
  bool receivers_can_build();

  /** Whether receivers need the donor's positions of its atoms, which is so for half lists
      (region_transfer.h): of all lists, or of any. */
  bool all_need_positions() const;
  bool any_needs_positions() const;

  /** Before a build: leave out the rows of given atoms.  The arrays must live until install().

      \param given   [nlocal+nghost]; nullptr: none is given
      \param seam    [nlocal] kept atoms on the seam */
  void leave_out(const std::vector<char> *given, const std::vector<char> *seam) const;

  /** After a build: which atoms have rows. */
  void mark_rows();

  /** Fill List::own with the rows of kept atoms; then rows from other ranks can be added to it. */
  void copy_kept_rows(const std::vector<char> &given);

  /** Let pair styles use List::own.  On all ranks if any rank hands over rows: some styles
      communicate when they get a list. */
  void install();

  /** Let pair styles use Neighbor's lists again. */
  void restore() const;

  const std::vector<List> &lists() const { return all; }
  double memory_usage() const;

 private:
  std::vector<List> all;
  bool read_by_others = false;
};

}    // namespace LAMMPS_NS

#endif
