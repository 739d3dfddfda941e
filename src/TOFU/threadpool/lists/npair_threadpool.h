/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

/* ----------------------------------------------------------------------
   Neighbor lists for the kernels of the /threadpool styles.

   Rows have the entries of LAMMPS' own lists in another order: first the atoms
   with a special bond to the owner, then the others, and behind the last
   entries that kernels may read.  Other code can read such a list as any other.
   A list that is built by LAMMPS itself, because it has something that is not
   built here, is copied into that form (pair_on_pool.h).

   Rows that may not be needed are left to wait: where pairs are computed in
   clusters, which are made of places of atoms (clusters_on_pool.h), only some
   steps need rows.  They are made of the places that atoms had.

   Each object owns the one in whose place it stands and leaves the work to it
   where it must.
------------------------------------------------------------------------- */

#ifndef LMP_NPAIR_THREADPOOL_H
#define LMP_NPAIR_THREADPOOL_H

#include "npair.h"

#include "bin_user.h"

#include <functional>
#include <memory>
#include <vector>

namespace TOFU_NS {
class CellGrid;
class ReceivedRegion;
struct AtomsToSearch;
}    // namespace TOFU_NS

namespace LAMMPS_NS {

class NPairThreadpool : public NPair, public BinUser {
 public:
  enum class Pairs { FULL, HALF_NEWTON, HALF_ALL_GHOSTS };    // the pairs of a list

  /** \param replaced   what Neighbor chose for the list; owned from now on
      \param sizes      whether the cut-off counts from surfaces of spheres */
  NPairThreadpool(LAMMPS *, NPair *replaced, Pairs, bool sizes);
  ~NPairThreadpool() override;

  void copy_neighbor_info() override;
  void build(class NeighList *) override;

  /** [natoms] entries of each row with a special bond; nullptr if LAMMPS has built the list. */
  const int *nspecial() const { return built ? special_counts.data() : nullptr; }

  /** Owned and ghost atoms when it built the list; the next is the one far away that rows end with.
      */
  int natoms() const { return nall_built; }

  /** Whether build() will make the rows of a list itself. */
  bool can_build(const class NeighList *) const override;

  /** Whether add_received() can make rows of a list. */
  bool can_make_received(const class NeighList *) const;

  /** Whether the donor has to send positions of its own atoms, see region_transfer.h. */
  bool needs_donor_positions() const { return pairs != Pairs::FULL; }

  /** Let the next build() make no rows for some owned atoms, which another rank makes, which has
      the pairs of these and other owned atoms on the seam, too, see region_transfer.h.  Only for
      atomic systems.

      \param given   [nall] which ones, when lists are built; nullptr: all atoms get rows
      \param seam    [nlocal] which others are on the seam */
  void leave_out(const std::vector<char> *given, const std::vector<char> *seam)
  {
    next_left_out = given;
    on_seam = seam;
  }

  /** Whether the pair style that the list is for can do without rows, and asks for them when it
      cannot; others may not read the list then. */
  void let_rows_wait(bool can_wait) { owner_can_wait = can_wait; }

  /** Make the rows that wait; until then numbers of neighbors are 0. */
  void make_rows(class NeighList *);

  /** Whether the last build() left its rows to wait, so that atoms_to_search() is known. */
  bool has_left_rows() const { return left_to_wait; }

  /** Owned atoms, ghosts and their places when the list was built.  The pairs of its rows are among
      those that a search finds, which has those of for_special_pairs(), too. */
  TOFU_NS::AtomsToSearch atoms_to_search() const;

  /** Call use(i, j, kind) for atoms i, from first up to, not including, last, and higher ones j
      with a special bond, whether they are near or not; kind 0: such pairs are not listed. */
  void for_special_pairs(int first, int last,
                         const std::function<void(int i, int j, int kind)> &use) const;

  /** Whether the last build() has left rows out. */
  bool lacks_rows() const { return left_out != nullptr; }

  /** Forget the rows that have been made for other ranks. */
  void reset_received();

  /** Make rows for another rank.

      \param region   of the donor, whose given atoms get rows
      \param local    [natoms] indices of its atoms here
      \param to       where the rows are added; valid until reset_received() */
  void add_received(const TOFU_NS::ReceivedRegion &region, const std::vector<int> &local,
                    class RingNeighList &to);

  /** There are more ghosts than when the list was built: let rows end with the atom behind all of
      them. */
  void extend_rows(class NeighList *);

  /** Of rows, in bytes, and of what they are made with. */
  double memory_usage() const;

  /** The build that this object replaces; owned by this object. */
  std::unique_ptr<NPair> replaced;

 private:
  struct Part;

  Pairs pairs;
  bool sizes;
  bool built = false;
  bool some_ghosts = false;    // of two ranks that have a pair one stores it
  bool tri = false;
  int nlocal_built = 0, nall_built = 0;
  bool other_images = false;    // an image of a special neighbor may be in a row, too
  int nlevels = 3;              // up to the last one of special bonds that has an effect
  std::vector<int> special_counts;
  std::vector<std::unique_ptr<Part>> parts;
  std::unique_ptr<TOFU_NS::CellGrid> grid, region_grid;
  std::vector<double> widest;    // [ntypes+1] largest cut-off of each type
  bool one_cutoff = true;
  const std::vector<char> *left_out = nullptr, *next_left_out = nullptr, *on_seam = nullptr;

  bool owner_can_wait = false, waiting = false, left_to_wait = false;
  std::vector<double> saved_places;    // [natoms][3] of a build whose rows wait
  const double *built_of = nullptr;    // [natoms][3] places that rows are made of

  struct ReceivedRow {
    int *entries;
    int n;
  };
  std::vector<ReceivedRow> received;    // [ngiven] of the region at hand
  std::vector<double> local_x;          // [natoms][3] of the region at hand, for full lists

  bool half_shell() const;
  const double *place(int i) const { return built_of + 3 * static_cast<std::size_t>(i); }
  double reach() const;
  bool can_wait(const class NeighList *) const;
  void leave_to_wait(class NeighList *);
  void make_all_rows(class NeighList *);
  void find_cutoffs();
  void find_radii();
  void build_rows(class NeighList *, Part &, int first, int last);
  template <class Use> void for_special(int i, const Use &use) const;
  int split_special(int i, Part &, int n);
  int split_short_row(int i, Part &, int n);
  int split_long_row(int i, Part &, int n);
  void find_special_atoms(int i, Part &) const;
  int special_kind(int i, tagint id) const;
  bool is_ordinary(int i, int j, Part &) const;
  bool is_other_image(int i, int j) const;
  void mark_contacts(int i, int *row, int n) const;
  bool is_higher_triclinic(tagint itag, const double *xi, tagint jtag, const double *xj) const;
  template <class Wanted> int keep_if(std::vector<int> &found, int n, Wanted wanted) const;
  template <class IsGhost, class TagOf, class XOf>
  int keep_own_ghosts(tagint tag, const double *x, std::vector<int> &found, int n, IsGhost is_ghost,
                      TagOf tag_of, XOf x_of) const;
  template <class AtomOf, class XOf>
  int keep_allowed(int i, const double *x, bool doubtful, std::vector<int> &found, int n,
                   AtomOf atom_of, XOf x_of) const;
  const double *positions_here(const std::vector<int> &local);
  ReceivedRow make_full_row(int k, int i, Part &) const;
  ReceivedRow make_half_row(const TOFU_NS::ReceivedRegion &, const std::vector<int> &local, int k,
                            Part &) const;
  int keep_received_pairs(const TOFU_NS::ReceivedRegion &, int k, std::vector<int> &found,
                          int n) const;
};

}    // namespace LAMMPS_NS

namespace TOFU_NS {

/** Let the lists that the /threadpool styles have asked for be built here, and bins be filled only
    where others need them; does nothing for lists that are already. */
void install_threadpool_lists(LAMMPS_NS::LAMMPS *);

/** Make the rows that wait of all lists. */
void make_waiting_rows(LAMMPS_NS::LAMMPS *);

/** Bytes of all lists that are built here. */
double memory_of_lists(LAMMPS_NS::LAMMPS *);

}    // namespace TOFU_NS

#endif
