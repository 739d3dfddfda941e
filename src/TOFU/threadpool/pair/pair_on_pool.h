/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

/* ----------------------------------------------------------------------
   Common part of the pair styles with the suffix /threadpool: they gather atoms
   into rows, let the parts of the pool compute the rows of the neighbor list,
   and add up the results.
------------------------------------------------------------------------- */

#ifndef LMP_PAIR_ON_POOL_H
#define LMP_PAIR_ON_POOL_H

#include "pointers.h"

#include "base/sum_array.h"
#include "base/weighed_shares.h"
#include "kernels/data/gathered_atoms.h"
#include "kernels/data/pair_data.h"
#include "kernels/data/row_arena.h"
#include "lammps/last_build.h"
#include "pool/part_sums.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

namespace LAMMPS_NS {

class PairOnPool : protected Pointers {
 public:
  using PairJob = TOFU_NS::PairJob;
  using PairTally = TOFU_NS::PairTally;

  /** Rows from first up to, not including, last.  A part may call it for some rows after others, so
      that it must not keep anything from one call to the next but what it adds to. */
  using Kernel = std::function<void(const PairJob &, int first, int last, PairTally &)>;

  /** List that a potential is fastest with.  A cheap one gains nothing from half of the pairs if
      vectors have 8 numbers: adding to the neighbors costs as much. */
  enum class Preferred { FULL, HALF, FULL_WITH_WIDE_VECTORS };

  /** As Kernel, with the number of the part. */
  using PartKernel =
      std::function<void(int part, const PairJob &, int first, int last, PairTally &)>;

  /** Copies of the gathered atoms: each part has one of those that its rows name, or there is one
      for kernels that look at others, too. */
  enum class Copies { OF_PARTS, ONE };

  PairOnPool(LAMMPS *, Copies = Copies::OF_PARTS);
  ~PairOnPool() override;

  enum class Precision { DOUBLE, AS_SET };    // AS_SET: single if settings say mixed

  /** In Pair::init_style(), after the style has asked for a half list: make it a full one if that
      is better.  With a half list each pair changes two atoms, and each part adds to sums of its
      own. */
  void adjust_request(class Pair *, Preferred, Precision = Precision::DOUBLE);

  /** The same for a style whose kernels need a full list.

      \return   false: LAMMPS refuses full lists in this run, so that the style has the half one and
               has to leave all to LAMMPS' own code, for the reason NO_FULL_LISTS. */
  bool adjust_request_to_full(class Pair *);
  static constexpr const char *NO_FULL_LISTS = "comm_modify reduce/multi needs half lists";

  /** In Pair::init_style(): take the half list that the style has asked for, for any number of
      parts, for kernels that know how to share it. */
  void keep_request(class Pair *);

  /** In init() of a style that is no pair style and asks for a full list itself. */
  void reset();

  /** Gather atoms; to be called once per Pair::compute().  Copies of parts are filled when a part
      begins to compute rows.

      \param list     the list from Pair::init_list()
      \param fourth   [nlocal+nghost] fourth value of the rows, such as the charge; nullptr: 0
      \param types    whether kernels look at types of atoms */
  void gather(class NeighList *list, const double *fourth, bool types);

  /** The same for styles that do not need rows in each step: rows that wait (npair_threadpool.h),
      and copies of atoms, are made when a function needs them. */
  void gather_without_rows(class NeighList *list, const double *fourth, bool types);

  /** Positions in place of those of the atoms. */
  struct Sites {
    const double *x = nullptr;    // [nlocal+nghost][3]

    /** Called by each part where parts share atoms and lists are new: add the atoms that it will
        change beside those in its rows. */
    std::function<void(int part, TOFU_NS::PartReach &)> reach_more;
  };

  /** As gather(), with sites; always in double precision. */
  void gather_sites(class NeighList *list, const double *fourth, const Sites &);

  /** Exchange the fourth value of the rows. */
  void gather_fourth(const double *fourth);

  /** Let the kernel compute all rows, add forces to atom->f, energy and virial to those of the
      pair style, for which ev_init() has been called.  An atom may be in forces of any number of
      calls after gather(). */
  void compute(class Pair *, const Kernel &);

  /** The same for a kernel that asks for the part. */
  void compute_parts(class Pair *, const PartKernel &);

  /** Forces alone, of a kernel that looks neither at rows nor at copies of atoms; after
      find_reach_by() for lists whose rows wait.

      \param kernel   adds them to natoms atoms, f[..][width] */
  using ForceKernel =
      std::function<void(int part, const PairJob &, int natoms, double *f, int width)>;
  void compute_forces(const ForceKernel &);

  /** Where parts share atoms: mark(part, reach) adds those that a part reads or changes, which has
      to be all that its rows name, too. */
  void find_reach_by(class NeighList *,
                     const std::function<void(int part, TOFU_NS::PartReach &)> &mark);

  /** The results that the pair style wants in this step. */
  static TOFU_NS::Tallies tallies_of(const class Pair *);

  /** The atoms that were gathered. */
  const TOFU_NS::AtomsToGather &atoms_gathered() const { return gathered.from(); }

  /** In place of Pair::virial_fdotr_compute().

      \return   false: not possible, nothing has been added */
  bool add_virial(class Pair *) const;

  /** As compute(), for a kernel that has no forces. */
  void for_rows(const std::function<void(int part, const PairJob &, int first, int last)> &);

  /** As for_rows(), for a kernel that adds one number to atoms: with half lists to both of a pair.

      \param target   [nlocal+nghost+1] gets the sums added; what the last gets is not read
      \param kernel   adds to [nlocal+nghost+1] numbers */
  void add_for_rows(double *target,
                    const std::function<void(int part, const PairJob &, int first, int last,
                                             double *numbers)> &kernel);

  /** The same for several numbers, as many as the sums have.

      \param sums     memory of the parts, kept from step to step
      \param target   [nlocal+nghost+1][sums.width()] */
  void add_for_rows(TOFU_NS::PartSums &sums, double *target,
                    const std::function<void(int part, const PairJob &, int first, int last,
                                             double *numbers)> &kernel);

  /** Rows that a part computes, from first up to, not including, last. */
  struct Share {
    int first, last;
  };
  Share share_of(int part) const;

  /** First of the owned atoms that go with the rows of a part, from 0 to nlocal; those of the next
      part begin where they end. */
  int first_owner(int part) const;

  /** Give parts about the same work, from the next list on, whose rows wait.

      \param work   [nparts()] counted for the present shares, in any unit */
  void weigh_shares(const std::vector<double> &work) { found_work = work; }

  /** work(part) for every part. */
  void for_parts(const std::function<void(int part)> &);

  /** range(first, last) for atoms that owners of a part's rows and their neighbors are in, from
      first up to, not including, last.  After gather(). */
  template <class Range> void for_reach(int part, Range &&range) const
  {
    const int nall = gathered.natoms();
    if (!own_copies()) return range(0, nall);
    reach.for_ranges(part, [&](int first, int last) { range(first, std::min(last, nall)); });
  }

  /** State of a list, for code that keeps what it has made of its rows. */
  struct ListState {
    const class NeighList *list = nullptr;
    TOFU_NS::LastBuild build;
    bigint nbuilds = -1;    // of a RingNeighList, else 0
    int natoms = -1;        // owned and ghosts

    bool operator==(const ListState &other) const;
  };

  /** Whether something is out of date that has been made of the rows of this list.

      \param made_of   what state_of() was when it was made */
  bool is_old(const ListState &made_of, const class NeighList *) const;
  ListState state_of(const class NeighList *) const;

  /** The error for computes that tally single pairs, which kernels do not show. */
  static void refuse_tally(LAMMPS *);

  TOFU_NS::ListKind kind() const { return list_kind; }
  bool single_precision() const { return single; }
  int nparts() const;
  int ntypes() const;    // of atoms
  double memory_usage() const;

 private:
  class RankPool *rank_pool;
  const Copies copies;
  const class Pair *owner = nullptr;
  TOFU_NS::ListKind list_kind = TOFU_NS::ListKind::FULL;
  PairJob job;
  TOFU_NS::GatheredAtoms gathered;
  TOFU_NS::SumArray forces;                   // [nall+1][4]
  bool single = false;                        // as long as the sub-box is not too wide
  class NeighList *listed_later = nullptr;    // list whose rows have not been looked at yet
  bool warned_too_wide = false;
  std::vector<PairTally> tallies;    // [nparts]

  // the list at hand, until lists may be others

  struct Origin {
    const class NeighList *list = nullptr;
    const class NPair *np = nullptr;
    class NPairThreadpool *build = nullptr;    // nullptr: rows are those of LAMMPS, or of others
    const class RingNeighList *ring = nullptr;
  };
  mutable Origin origin;

  // a list that LAMMPS has built, in the form that kernels take

  struct Copy {
    std::vector<TOFU_NS::RowArena> arenas;    // [nparts]
    std::vector<int *> first;     // [natoms], of owners of rows, some of which may be ghosts
    std::vector<int> nspecial;    // [natoms]
    ListState made_of;
  } copy;

  // several parts

  TOFU_NS::PartReach reach;
  ListState reach_of, wider_reach_of;    // the latter: found by find_reach_by()
  TOFU_NS::WeighedShares shares;
  std::vector<double> found_work;    // by weigh_shares(), not used yet
  ListState shares_of;               // the list that has them
  std::vector<int> work_of_grains;
  TOFU_NS::PartSums part_forces{4}, part_numbers{1}, part_virials{6};

  bool own_copies() const;
  bool shared() const;
  const Origin &origin_of(const class NeighList *) const;
  void gather_atoms(const double *fourth, bool types);
  void gather_atoms(const TOFU_NS::AtomsToGather &);
  int owner_of(int row) const;
  void find_list(class NeighList *, const Sites &);
  void need_rows();
  void find_reach(class NeighList *, const Sites &);
  void find_reach(int part, const TOFU_NS::PairRows &);
  template <class Add> void add_up(TOFU_NS::PartSums &, int natoms, Add &&);
  void add_shared(const PairTally &wanted);
  bool too_wide();
  void find_center(double *center) const;
  void fill_one_copy();
  bool is_full(Preferred) const;
  void refuse_levels() const;
  TOFU_NS::PairAtoms atoms_of(int part);
  void find_rows(class NeighList *);
  void forget_shares();
  bool shares_stay(const class NeighList *) const;
  void deal_rows(const class NeighList *);
  void copy_rows(class NeighList *);
  void copy_row(class NeighList *, int i, TOFU_NS::RowArena &);
  void add_half_forces();
};

}    // namespace LAMMPS_NS

#endif
