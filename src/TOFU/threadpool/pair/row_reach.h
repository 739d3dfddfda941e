// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_ROW_REACH_H
#define LMP_ROW_REACH_H

#include "pointers.h"

#include "pool/part_sums.h"
#include "threadpool/lists/list_rows.h"

#include <functional>

namespace LAMMPS_NS {

/** Atoms that the rows of each part name, for as long as lists stay: a part has copies of these
    alone, and adds forces to these alone. */
class RowReach : protected Pointers {
 public:
  using Mark = std::function<void(int part, TOFU_NS::PartReach &)>;

  RowReach(LAMMPS *, ListRows &);

  /** Neighbor may have replaced its lists. */
  void reset(class RankPool *);

  /** The atoms that rows name, unless they are known.  Parts with many of them, as those with most
      of the ghosts, get fewer rows: shares of the rows change.

      \param rows        of the list, as ListRows::find() has returned them
      \param mark_more   adds others for a part; may be empty */
  void find(const class NeighList *, const TOFU_NS::PairRows &rows, const Mark &mark_more);

  /** The atoms that mark() adds, which must be all that rows name, too; find() changes nothing for
      this state of the list then. */
  void find_by(const class NeighList *, const Mark &mark);

  /** Whether find_by() was called for the present state of the list. */
  bool is_marked(const class NeighList *list) const
  {
    return marked == rows_of_lists.state_of(list);
  }

  /** Blocks of atoms of each part, for owned atoms, ghosts and the one far away behind them. */
  const TOFU_NS::PartReach &blocks() const { return reach; }

 private:
  class RankPool *rank_pool;
  ListRows &rows_of_lists;
  TOFU_NS::PartReach reach;
  ListRows::State found, marked;    // the latter: by find_by()

  void find_by_parts(const Mark &mark);
};

}    // namespace LAMMPS_NS

#endif
