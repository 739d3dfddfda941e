// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Common part of the pair styles with the suffix /threadpool: they copy atoms
   (AtomCopies), let the parts of the pool compute the rows of the neighbor list
   (ListRows), and add up the results (PartForces).
------------------------------------------------------------------------- */

#ifndef LMP_PAIR_ON_POOL_H
#define LMP_PAIR_ON_POOL_H

#include "pointers.h"

#include "atom_copies.h"
#include "kernels/data/pair_data.h"
#include "pool/part_forces.h"
#include "row_reach.h"
#include "threadpool/lists/list_rows.h"

#include <functional>
#include <vector>

namespace LAMMPS_NS {

class PairOnPool : protected Pointers {
 public:
  using PairJob = TOFU_NS::PairJob;
  using PairTally = TOFU_NS::PairTally;
  using Copies = AtomCopies::Number;
  using ListState = ListRows::State;
  using Share = ListRows::Share;

  /** Computes the rows from first up to, not including, last.  A part may call it several times,
      for some rows each: it keeps nothing between calls but the sums that it adds to. */
  using Kernel = std::function<void(const PairJob &, int first, int last, PairTally &)>;

  /** As Kernel, with the number of the part. */
  using PartKernel =
      std::function<void(int part, const PairJob &, int first, int last, PairTally &)>;

  /** List that a potential is fastest with.  A cheap one gains nothing from half of the pairs if
      vectors have 8 numbers: adding to the neighbors costs as much. */
  enum class Preferred { FULL, HALF, FULL_WITH_WIDE_VECTORS };

  explicit PairOnPool(LAMMPS *, Copies = Copies::OF_PARTS);
  ~PairOnPool() override;

  enum class Precision { DOUBLE, AS_SET };    // AS_SET: single if settings say mixed

  /** In Pair::init_style(), after the style has requested a half list: make it a full one if that
      is better.  With a half list each pair changes two atoms, and each part adds to sums of its
      own. */
  void adjust_request(class Pair *, Preferred, Precision = Precision::DOUBLE);

  /** As adjust_request(), for a style whose kernels need a full list.

      \return   false: LAMMPS refuses full lists in this run.  The style has the half list and has
                to leave all to LAMMPS' own code, for the reason NO_FULL_LISTS. */
  bool adjust_request_to_full(class Pair *);
  static constexpr const char *NO_FULL_LISTS = "comm_modify reduce/multi needs half lists";

  /** In Pair::init_style(): take the half list that the style has requested, for any number of
      parts, for kernels that share it themselves. */
  void keep_request(class Pair *);

  /** In init() of a style that is no pair style and requests a full list itself. */
  void reset();

  /** ON_DEMAND is for styles that do not need rows in each step: rows that NPairThreadpool has
      deferred, and copies of atoms, are made when a function needs them. */
  enum class Rows { NOW, ON_DEMAND };

  /** Read atoms and the list; to be called once per Pair::compute().  Copies of parts are filled
      when a part begins to compute rows.

      \param list      the list from Pair::init_list()
      \param charges   [nlocal+nghost] fourth column of the copies; nullptr: 0
      \param types     whether kernels read types of atoms */
  void gather(class NeighList *list, const double *charges, bool types, Rows = Rows::NOW);

  /** Positions in place of those of the atoms. */
  struct Sites {
    const double *x = nullptr;    // [nlocal+nghost][3]

    /** Called by each part where parts share atoms and lists are new: adds the atoms that it will
        change beside those in its rows. */
    RowReach::Mark reach_more;
  };

  /** As gather(), with sites; always in double precision. */
  void gather_sites(class NeighList *list, const double *charges, const Sites &);

  /** Replace the charges of the last gather(). */
  void set_charge_column(const double *charges);

  /** Let the kernel compute all rows, add forces to atom->f, energy and virial to those of the
      pair style, for which ev_init() has been called.  May be called several times after one
      gather(). */
  void compute(class Pair *, const Kernel &);

  /** As compute(), for a kernel that needs the number of the part. */
  void compute_parts(class Pair *, const PartKernel &);

  /** Forces alone, of a kernel that reads neither rows nor copies of atoms; after
      RowReach::find_by() for lists whose rows are deferred.

      \param kernel   adds them to natoms atoms, f[..][width] */
  using ForceKernel =
      std::function<void(int part, const PairJob &, int natoms, double *f, int width)>;
  void compute_forces(const ForceKernel &);

  /** In place of Pair::virial_fdotr_compute().

      \return   false: not possible, nothing has been added */
  bool add_virial(class Pair *) const;

  /** As compute_parts(), for a kernel that has no forces. */
  void for_rows(const std::function<void(int part, const PairJob &, int first, int last)> &);

  /** As for_rows(), for a kernel that adds one number to atoms: with half lists to both of a pair.

      \param target   [nlocal+nghost+1] gets the sums added; what the last gets is not read
      \param kernel   adds to [nlocal+nghost+1] numbers */
  using NumberKernel =
      std::function<void(int part, const PairJob &, int first, int last, double *numbers)>;
  void add_for_rows(double *target, const NumberKernel &kernel);

  /** As above, for several numbers, as many as the sums have.

      \param sums     memory of the parts, kept from step to step
      \param target   [nlocal+nghost+1][sums.width()] */
  void add_for_rows(TOFU_NS::PartSums &sums, double *target, const NumberKernel &kernel);

  /** Rows that a part computes. */
  Share share_of(int part) const { return rows.share_of(part); }

  /** work(part) for every part. */
  void for_parts(const std::function<void(int part)> &work);

  /** The error for computes that tally single pairs, which kernels do not report. */
  static void refuse_tally(LAMMPS *);

  TOFU_NS::ListKind kind() const { return list_kind; }
  bool single_precision() const { return atoms.single_precision(); }
  int nparts() const;
  int ntypes() const;    // of atoms
  double memory_usage() const;

  // components

  ListRows &list_rows() { return rows; }
  const AtomCopies &copies() const { return atoms; }
  RowReach &row_reach() { return reach; }

 private:
  class RankPool *rank_pool;
  const class Pair *owner = nullptr;
  TOFU_NS::ListKind list_kind = TOFU_NS::ListKind::FULL;
  PairJob job;
  ListRows rows;
  RowReach reach;
  AtomCopies atoms;
  TOFU_NS::PartForces forces;
  std::vector<PairTally> tallies;              // [nparts]
  class NeighList *deferred_list = nullptr;    // gathered ON_DEMAND, not read yet

  bool shared() const;
  void find_list(class NeighList *, const RowReach::Mark &reach_more);
  void need_rows();
};

/** The results that a pair style wants in this step. */
TOFU_NS::Tallies tallies_of(const class Pair *);

}    // namespace LAMMPS_NS

#endif
