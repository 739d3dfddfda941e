// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Neighbor lists for the kernels of the /threadpool styles.

   Rows have the entries of LAMMPS' own lists in another order: first the atoms
   with a special bond to the owner, then the others; padding behind them may be
   read by kernels.  Other code can read such a list as any other.
   A list that is built by LAMMPS itself, because it has something that is not
   built here, is copied into that form (list_rows.h).

   Rows may be deferred until they are needed: where pairs are computed in
   clusters, which are made of positions of atoms (clusters_on_pool.h), only some
   steps need rows.  They are made of the positions that atoms had when the list
   was built.

   Each object owns the one in whose place it stands and leaves the work to it
   where it must.
------------------------------------------------------------------------- */

#ifndef LMP_NPAIR_THREADPOOL_H
#define LMP_NPAIR_THREADPOOL_H

#include "npair.h"

#include "bin_user.h"
#include "pair_rules.h"
#include "rows_for_donors.h"

#include "kernels/neighbor/special_rows.h"

#include <functional>
#include <memory>
#include <vector>

namespace TOFU_NS {
class CellGrid;
struct AtomsToSearch;
}    // namespace TOFU_NS

namespace LAMMPS_NS {

class NPairThreadpool : public NPair, public BinUser {
 public:
  using Pairs = PairRules::Pairs;

  /** \param replaced   what Neighbor chose for the list; owned from now on
      \param sizes      whether the cut-off counts from surfaces of spheres */
  NPairThreadpool(LAMMPS *, NPair *replaced, Pairs, bool sizes);
  ~NPairThreadpool() override;

  void copy_neighbor_info() override;
  void build(class NeighList *) override;

  /** [natoms] entries of each row with a special bond; nullptr if LAMMPS has built the list. */
  const int *nspecial() const { return built ? special_counts.data() : nullptr; }

  /** # of owned and ghost atoms when it built the list; the next index is that of an atom far away,
      with which rows are padded. */
  int natoms() const { return nall_built; }

  /** Whether build() will make the rows of a list itself. */
  bool can_build(const class NeighList *) const override;

  /** Whether rows_for_donors() can make rows of a list. */
  bool can_make_received(const class NeighList *) const;

  /** Whether the donor has to send positions of its own atoms, see region_transfer.h. */
  bool needs_donor_positions() const { return rules.pairs != Pairs::FULL; }

  /** Let the next build() make no rows for given atoms, whose rows another rank makes, with their
      pairs with kept atoms on the seam (region_transfer.h).  Only for atomic systems.

      \param given   [nall] given atoms, when lists are built; nullptr: all atoms get rows
      \param seam    [nlocal] kept atoms on the seam */
  void leave_out(const std::vector<char> *given, const std::vector<char> *seam)
  {
    next_left_out = given;
    on_seam = seam;
  }

  /** Allow build() to defer rows: the pair style that the list is for can do without them, and
      requests them with make_rows() when it cannot; nothing else may read the list then. */
  void allow_deferred_rows(bool yes) { may_defer = yes; }

  /** Make deferred rows; until then numbers of neighbors are 0. */
  void make_rows(class NeighList *);

  /** Whether the last build() has deferred its rows; atoms_to_search() is known then. */
  bool has_deferred_rows() const { return deferred; }

  /** Owned atoms, ghosts and their positions when the list was built.  A search among them finds
      all pairs of its rows, and those of for_special_pairs(). */
  TOFU_NS::AtomsToSearch atoms_to_search() const;

  /** Call use(i, j, kind) for atoms i, from first up to, not including, last, and higher ones j
      with a special bond, whether they are near or not; kind 0: such pairs are not listed. */
  void for_special_pairs(int first, int last,
                         const std::function<void(int i, int j, int kind)> &use) const;

  /** Whether the last build() has left rows out. */
  bool lacks_rows() const { return left_out != nullptr; }

  /** Rows that this rank makes for other ranks, after the last build(). */
  RowsForDonors &rows_for_donors() { return for_donors; }

  /** There are more ghosts than when the list was built: pad rows with the index behind all of
      them. */
  void extend_rows(class NeighList *);

  /** Of rows, in bytes, and of what they are made with. */
  double memory_usage() const;

  /** The build that this object replaces; owned by this object. */
  std::unique_ptr<NPair> replaced;

 private:
  struct Part {    // data of one part of the work
    TOFU_NS::RowArena arena;
    std::vector<int> found;    // neighbors of one atom
    TOFU_NS::SpecialScratch special;

    double nbytes() const
    {
      return arena.nbytes() + static_cast<double>(found.capacity() * sizeof(int)) +
          special.nbytes();
    }
  };

  PairRules rules;
  TOFU_NS::SpecialRows<tagint> special;
  RowsForDonors for_donors;
  std::unique_ptr<TOFU_NS::CellGrid> grid;
  std::vector<std::unique_ptr<Part>> parts;
  std::vector<int> special_counts;

  // of the last build

  bool built = false;
  int nlocal_built = 0, nall_built = 0;
  int nsearched = 0;    // atoms that may be in pairs; ghosts of bonded partners are behind them
  const std::vector<char> *left_out = nullptr, *next_left_out = nullptr, *on_seam = nullptr;

  bool may_defer = false, deferred = false;
  bool rows_are_missing = false;       // deferred, not made yet
  std::vector<double> saved_x;         // [natoms][3] of a build whose rows are deferred
  const double *built_of = nullptr;    // [natoms][3] positions that rows are made of

  const double *position(int i) const { return built_of + 3 * static_cast<std::size_t>(i); }
  void begin_special();
  bool can_defer(const class NeighList *) const;
  void defer_rows(class NeighList *);
  void make_all_rows(class NeighList *);
  void build_rows(class NeighList *, Part &, int first, int last);
  void mark_contacts(int i, int *row, int n) const;
};

}    // namespace LAMMPS_NS

namespace TOFU_NS {

/** Let NPairThreadpool build the lists that the /threadpool styles have requested, and have bins
    filled only where other builds read them.  A second call changes nothing. */
void install_threadpool_lists(LAMMPS_NS::LAMMPS *);

/** Make deferred rows of all lists. */
void make_deferred_rows(LAMMPS_NS::LAMMPS *);

/** Bytes of all lists that NPairThreadpool builds. */
double memory_of_lists(LAMMPS_NS::LAMMPS *);

}    // namespace TOFU_NS

#endif
