// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_LIST_ROWS_H
#define LMP_LIST_ROWS_H

#include "pointers.h"

#include "base/weighed_shares.h"
#include "kernels/data/pair_data.h"
#include "kernels/data/row_arena.h"
#include "lammps/last_build.h"

#include <vector>

namespace LAMMPS_NS {

/** Rows of a neighbor list in the form that kernels take, and the shares of them that parts
    compute.  Rows of NPairThreadpool and of fix ring/balance have that form.  Those of LAMMPS' own
    builds are copied once for each build. */
class ListRows : protected Pointers {
 public:
  /** A list as it was at some time, for code that keeps what it has made of its rows. */
  struct State {
    const class NeighList *list = nullptr;
    TOFU_NS::LastBuild build;
    bigint nbuilds = -1;    // of a RingNeighList, else 0
    int natoms = -1;        // owned and ghosts

    bool operator==(const State &other) const;
  };

  explicit ListRows(LAMMPS *);

  /** Neighbor may have replaced its lists. */
  void reset(class RankPool *);

  State state_of(const class NeighList *) const;

  /** Whether a list has changed since some state.

      \param made_of   result of state_of() at that time */
  bool is_old(const State &made_of, const class NeighList *) const;

  /** Rows of a list for share_of(); makes those that NPairThreadpool has deferred.

      \param keep_shares   shares stay those that an earlier call for this list has made */
  const TOFU_NS::PairRows &find(class NeighList *, bool keep_shares);

  /** As find(), of which only the number of rows is valid, for share_of(). */
  const TOFU_NS::PairRows &find_number(class NeighList *, bool keep_shares);

  /** Rows that a part computes, from first up to, not including, last. */
  struct Share {
    int first, last;
  };
  Share share_of(int part) const;

  /** Make shares of equal cost anew, where each part has some cost beside that of its rows.  For
      those that find() has made; others stay.

      \param more   [nparts] in vectors of pairs
      \return   whether there are new shares */
  bool share_again(const std::vector<int> &more);

  /** First of the owned atoms that go with the rows of a part, from 0 to nlocal; those of the next
      part begin where they end. */
  int first_owner(int part) const;

  /** Work of each part with the present shares, [nparts] in any unit: find_number() makes shares of
      equal work for the next list. */
  void set_work(const std::vector<double> &work) { work_of_parts = work; }

  double memory_usage() const;

 private:
  class RankPool *rank_pool;
  TOFU_NS::PairRows rows;

  // classes of a list and of its build, by dynamic casts that are done once for each list

  struct Origin {
    const class NeighList *list = nullptr;
    const class NPair *np = nullptr;
    class NPairThreadpool *build = nullptr;    // nullptr: rows are those of LAMMPS, or of others
    const class RingNeighList *ring = nullptr;
  };
  mutable Origin origin;

  struct Copy {                               // of a list that LAMMPS has built
    std::vector<TOFU_NS::RowArena> arenas;    // [nparts]
    std::vector<int *> first;     // [natoms], of owners of rows, some of which may be ghosts
    std::vector<int> nspecial;    // [natoms]
    State made_of;
  } copy;

  TOFU_NS::WeighedShares shares;
  State shares_of;
  std::vector<double> work_of_parts;    // by set_work(), not used yet
  std::vector<int>
      work_of_grains;    // of the list of the shares; empty: find_number() has made them

  const Origin &origin_of(const class NeighList *) const;
  bool shares_stay(const class NeighList *, bool keep_shares) const;
  void share_rows(const class NeighList *);
  void copy_rows(class NeighList *);
  void copy_row(class NeighList *, int i, TOFU_NS::RowArena &);
};

}    // namespace LAMMPS_NS

#endif
