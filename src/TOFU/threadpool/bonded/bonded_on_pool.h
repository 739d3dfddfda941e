// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Common part of bonds, angles, dihedrals and impropers with the suffix
   /threadpool: they assign atoms to the parts of the pool, and to each part all
   interactions of its atoms, let the parts compute them, and add up the
   results.
------------------------------------------------------------------------- */

#ifndef LMP_BONDED_ON_POOL_H
#define LMP_BONDED_ON_POOL_H

#include "pointers.h"

#include "base/aligned_array.h"
#include "kernels/bonded/bonded_data.h"
#include "lammps/last_build.h"

#include <functional>
#include <vector>

namespace LAMMPS_NS {

class BondedOnPool : protected Pointers {
 public:
  using BondedJob = TOFU_NS::BondedJob;
  using PairTally = TOFU_NS::PairTally;

  using Kernel = std::function<void(const BondedJob &, PairTally &)>;

  /** Interactions in the form of Neighbor's lists: the first row of [n][natoms+1] atoms and type.
      */
  struct List {
    const int *rows = nullptr;
    int n = 0;
  };

  /** Results that are wanted in addition to forces. */
  struct Wanted {
    bool tallies = false;        // energy and virial
    double *eatom = nullptr;     // [nlocal+nghost] if wanted, added to
    double **vatom = nullptr;    // [nlocal+nghost][6] likewise
  };

  /** \param natoms   of an interaction: 2, 3 or 4 */
  BondedOnPool(LAMMPS *, int natoms);

  /** To be called in each init_style(). */
  void init();

  /** Assign the interactions to parts, if they may have changed.

      \return   whether it has done so */
  bool deal(const List &);

  /** Mark the interactions as changed, although their number and their place in memory are the
      same. */
  void forget() { dealt = State(); }

  /** Let the kernel compute the assigned interactions, add forces to atom->f.

      \return   sums over all parts, in their order */
  PairTally compute(const Wanted &, const Kernel &);

  /** Rows of the list that the kernel has flagged, each once, in the order of the list.
      */
  const std::vector<int> &flagged() const { return reported; }

  double memory_usage() const;

  /** The list that Neighbor, or a hybrid style, has for a style of this kind. */
  List list_for(const class Bond *) const;
  List list_for(const class Angle *) const;
  List list_for(const class Dihedral *) const;
  List list_for(const class Improper *) const;

  /** Number of types that a style of this kind has coefficients for. */
  int ntypes_of(const Bond *) const;
  int ntypes_of(const Angle *) const;
  int ntypes_of(const Dihedral *) const;
  int ntypes_of(const Improper *) const;

  /** Square of the distance of two atoms as they are in the list. */
  double distance_squared(int i, int j) const;

  /** Whether these flags of compute() ask for stresses about the centroids of interactions. */
  static bool is_centroid(int vflag);

 private:
  struct Part {
    std::vector<int> order;            // as in BondedJob
    int ninner = 0;                    // likewise
    std::vector<unsigned char> own;    // likewise
    std::vector<int> flagged;
    PairTally tally;
  };

  // what a part finds out about its share of the list, for the assignment

  struct alignas(128) Rows {           // those of two parts are not on one cache line
    std::vector<int> inner, shared;    // those of own atoms of a part alone, and others
    std::size_t ninner = 0;            // of inner, which has room for more
    std::vector<unsigned char> own;    // of the others, as in BondedJob
  };
  struct Share {
    std::vector<int> weights;    // interactions by GRAIN atoms
    std::vector<int> claims;     // [nghost] of the first interaction with them: its first owned
                                 // atom, nlocal if it has none; UNCLAIMED
    std::vector<Rows> rows;      // [nparts]
  };

  // state on which the assignment depends

  struct State {
    const int *rows = nullptr;
    int n = -1, nlocal = -1, nghost = -1, nparts = 0, newton_bond = -1;
    TOFU_NS::LastBuild build;

    /** Of all but the build. */
    bool operator==(const State &) const;
  };

  const int natoms;
  class RankPool *rank_pool;
  State dealt;
  std::vector<Part> parts;
  bool in_order = false;                       // the one part takes the list as it is
  std::vector<unsigned short> part_of_atom;    // [nlocal+nghost]
  std::vector<Share> shares;                   // [nparts]
  std::vector<int> reported;
  TOFU_NS::AlignedArray<double> positions;

  State state_for(const List &) const;
  template <int NATOMS, class Visit> void for_rows_of(int part, Visit &&) const;
  template <class Visit> void for_rows(int part, Visit &&) const;
  template <class Atoms> int first_owned(const Atoms &) const;
  unsigned short part_of_owned(int i) const { return i < dealt.nlocal ? part_of_atom[i] : 0; }
  void count_and_claim(Share &, int part) const;
  void deal_owned();
  void deal_ghosts(int part);
  void deal_rows(Share &, int part) const;
  template <class Atoms> void share_row(Share &, int n, const Atoms &) const;
  void collect(int part);
  const double *readable_positions();
};

}    // namespace LAMMPS_NS

#endif
