// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef INTEGRATE_CLASS
// clang-format off
IntegrateStyle(verlet/threadpool,VerletThreadpool);
// clang-format on
#else

#ifndef LMP_VERLET_THREADPOOL_H
#define LMP_VERLET_THREADPOOL_H

#include "verlet.h"

#include "neighbor_check.h"
#include "threadpool/pool/step_sums.h"
#include "unread_tallies.h"

namespace LAMMPS_NS {

/** The step of run_style verlet.  When no force acts on ghosts, forces on ghosts are neither
    cleared nor sent back.  Pair styles that compute each pair for both atoms have no forces on
    ghosts; nothing else in the run may have any.  With fix ring/balance only those ghosts have
    forces whose rows a rank computes for their owner. */
class VerletThreadpool : public Verlet {
 public:
  using Verlet::Verlet;
  void setup(int) override;
  void setup_minimal(int) override;
  void run(int) override;
  void cleanup() override;
  void force_clear() override;

 private:
  enum class GhostForces { ALL, OF_ROWS, NONE };    // forces on ghosts that may differ from 0
  GhostForces ghost_forces = GhostForces::ALL;
  NeighborCheck check{lmp};
  UnreadTallies unread{lmp};
  StepSums::Stage at_output;
  class RankPool *threadpool = nullptr;     // since the last set-up, or nullptr
  class SectionTimes *profile = nullptr;    // of this run, or nullptr
  class GhostExchange *ghosts = nullptr;    // of this run
  bool pairs_may_come_first = false;        // before the check of lists has been read
  bool forces_at_output = false;            // may be computed again, by a compute

  // stages of a step, which override those of a LAMMPS with packaging/upstream/verlet-stages.patch

  void begin_step();
  void exchange_or_forward();    // with the forces of pairs, since these may come before a rebuild
  void compute_forces();         // all others
  void finish_step();

  void stamp(int section);    // of Timer
  GhostForces find_ghost_forces() const;
  bool find_whether_pairs_may_come_first() const;
  void send_forces_back();
  void move_ghosts();
  void compute_pairs();
  void write_output();
  int fix_vflag() const;
  void call_post_force();
  void tally_late();
  void compute_bonded();
};

}    // namespace LAMMPS_NS

#endif
#endif
