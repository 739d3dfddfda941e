// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef FIX_CLASS
// clang-format off
FixStyle(ring/balance,FixRingBalance);
FixStyle(ring_balance,FixRingBalance);
// clang-format on
#else

#ifndef LMP_FIX_RING_BALANCE_H
#define LMP_FIX_RING_BALANCE_H

#include "fix.h"

#include <memory>
#include <string>

namespace LAMMPS_NS {

/** Lets ranks with few atoms compute rows of the neighbor lists of ranks with many (DPLR paper,
    sec. 3.3).  Atoms stay with their owners.  At each build of neighbor lists a row goes from its
    owner, the donor, to a receiver:

      stage              donor                               receiver

      pre_neighbor()     RingDecision: amounts of all transfers, the same on all ranks
                         TransferSender: selects the atoms
                         whose rows it gives; sends them,
                         the atoms around them, and those
                         of its own that the receiver
                         lacks as ghosts               --->  (on the way)
      Neighbor::build()  builds rows of kept atoms           builds rows of its owned atoms
      post_neighbor()                                        TransferReceiver: finds the atoms
                                                             among owned atoms and ghosts
                         the owners of other atoms     <---  requests other atoms that it lacks
                         add a swap to the exchange    --->  appends ghosts (AppendedGhosts)
                                                             builds the rows of given atoms
                         RowLists: the pair style            RowLists: the pair style gets rows
                         gets rows of kept atoms             of owned atoms, then of ghosts

    Then in each step, until the next build:

      forward_comm()     positions of given atoms     --->  ghosts, those appended among them
      Pair::compute()    forces of kept rows                forces of its own and received rows
      reverse_comm()     adds forces of its atoms     <---  forces on ghosts

    A pair is in as many rows as without transfers: one of a half list, perhaps that of the other
    atom, and two of a full list.  The receiver tallies energy and virial of the rows that it
    computes.

    Where receivers cannot build rows (RowLists::receivers_can_build()), or their cost depends on
    their length (keyword weight), the donor builds all its rows, and post_neighbor() makes the
    decision and sends the rows themselves. */
class FixRingBalance : public Fix {
 public:
  FixRingBalance(class LAMMPS *, int, char **);
  ~FixRingBalance() override;

  int setmask() override;
  void init() override;
  void setup_pre_neighbor() override;
  void pre_neighbor() override;
  void min_pre_neighbor() override;
  void setup_post_neighbor() override;
  void post_neighbor() override;
  void min_post_neighbor() override;
  void setup_pre_force(int) override;
  void pre_force(int) override;
  void min_pre_force(int) override;
  void post_run() override;

  double compute_scalar() override;
  double compute_vector(int) override;
  double compute_array(int, int) override;
  double memory_usage() override;
  void grow_arrays(int) override;
  void copy_arrays(int, int, int) override;
  void set_arrays(int) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl;

  std::string find_obstacle() const;
  void disable(const std::string &reason);
  bool find_lists();
  void send_transfers();
  void hand_over();
  void hand_over_late();
  void set_computing_ranks();
};

}    // namespace LAMMPS_NS

#endif
#endif
