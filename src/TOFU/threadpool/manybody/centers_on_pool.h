// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Common part of the pair styles with the suffix /threadpool whose energy is a
   sum over atoms and their near neighbors: a full list, newton on, forces on
   neighbors and on ghosts.
------------------------------------------------------------------------- */

#ifndef LMP_CENTERS_ON_POOL_H
#define LMP_CENTERS_ON_POOL_H

#include "threadpool/pair/pair_on_pool.h"

#include "kernels/manybody/center_data.h"
#include "kernels/neighbor/near_rows.h"

#include <functional>
#include <vector>

namespace LAMMPS_NS {

class CentersOnPool : protected Pointers {
 public:
  using Kernel = std::function<void(const TOFU_NS::CenterJob &)>;

  CentersOnPool(LAMMPS *);

  /** In Pair::init_style(), after the style has asked for its list. */
  void adjust_request(class Pair *);

  /** Let the kernel compute all centers, add forces to atom->f, energy and virial, also by atom, to
      those of the pair style, for which ev_init() has been called.

      \param list      the list from Pair::init_list()
      \param numbers   [ntypes+1] number of each type that kernels see; nullptr: 0
      \param cutoff    distance within which neighbors are, at most */
  void compute(class Pair *, class NeighList *list, const int *numbers, double cutoff,
               const Kernel &);

  struct Wanted {
    const int *numbers = nullptr;    // as of compute() above
    double cutoff = 0.0;
    TOFU_NS::Tallies tallies = TOFU_NS::Tallies::NONE;
    double *eatom = nullptr;            // [natoms] energies of centers are added here
    double *shared_eatom = nullptr;     // [natoms] energies that centers share with neighbors
    double **shared_vatom = nullptr;    // [natoms][6] likewise virials
    bool expensive_centers = false;     // one costs so much that parts share them one by one
  };

  /** The same with forces added to f[natoms][3].  Returns: energy and virial. */
  TOFU_NS::PairTally compute(class NeighList *list, const Wanted &, double **f, const Kernel &);

  // the same in steps, for kernels that are called more than once with the same positions

  /** In init() of a style that asks for a full list itself and has no forces on pairs. */
  void reset();

  /** Gather atoms, and find the neighbors of the centers.

      \param centers   owned atoms, ascending, the same ones until lists are built anew; nullptr:
                       all that have a row */
  void begin(class NeighList *list, const int *numbers, double cutoff,
             const std::vector<int> *centers = nullptr);

  /** Call a kernel without forces for all centers, which parts share one by one. */
  void for_centers(
      const std::function<void(int part, const TOFU_NS::PairJob &, int first, int last)> &kernel);

  /** Let the kernel compute forces, any number of times after begin(); numbers and cut-off of
      Wanted are ignored.  Returns: energy and virial. */
  TOFU_NS::PairTally add_forces(const Wanted &, double **f, const Kernel &);

  int nparts() const { return pair.nparts(); }
  double memory_usage() const;

 private:
  PairOnPool pair;
  class RankPool *rank_pool;

  // neighbors within little more than the cut-off

  TOFU_NS::NearRows near_rows;
  double near_cutoff = -1.0;
  PairOnPool::ListState near_made_of;

  const std::vector<int> *chosen = nullptr;    // of begin()
  std::vector<double> numbers_of_atoms;
  TOFU_NS::AlignedArray<double> forces;    // [nall+1][4]
  TOFU_NS::AtomOwners owners;
  std::vector<std::vector<std::vector<TOFU_NS::CenterForces::Sent>>>
      sent;    // [from part][to part]

  // energies and virials of atoms, while they are wanted

  TOFU_NS::AlignedArray<double> atom_tallies;    // [nall+1][TALLY_STRIDE]
  std::vector<std::vector<std::vector<TOFU_NS::CenterForces::SentTally>>>
      sent_tallies;    // [from part][to part]

  std::vector<TOFU_NS::CenterWorkspace> workspaces;    // [nparts]
  std::vector<TOFU_NS::PairTally> tallies;             // [nparts]

  void find_near(class NeighList *, double cutoff);
  bool near_are_old(const class NeighList *, double cutoff);
  TOFU_NS::PairRows rows_of_centers(const TOFU_NS::PairRows &list) const;
  void share_atoms(bool by_number);
  void compute_part(int part, TOFU_NS::PairJob, int first, int last, const Wanted &,
                    const Kernel &);
  void collect(int part, double **f);
  void collect_tallies(int part, const Wanted &);
  template <class Call> void for_atoms(int part, Call &&) const;
};

}    // namespace LAMMPS_NS

#endif
