// SPDX-License-Identifier: GPL-2.0-only
//
// PPPMOverlap: whether the mesh part of a step runs on a thread beside the pair forces or after
// them, and the time that it takes.
//
//   init()                   of a run: whether it can be done
//   make_thread()            before the first step
//   start() ... finish()     of a step, start() only if ready()
//   measure_gain()           in setup: whether start() gains something
//   end_step()               forces are complete

#ifndef LMP_PPPM_OVERLAP_H
#define LMP_PPPM_OVERLAP_H

#include "pointers.h"

#include "mesh/side_solve.h"

#include <string>

namespace LAMMPS_NS {

class PPPMOverlap : protected Pointers {
 public:
  PPPMOverlap(LAMMPS *lmp, class PPPMLinks &);

  /** \param user_wants_it   keyword overlap
      \param without_gain    keyword overlap/always: measure_gain() decides nothing */
  void init(bool user_wants_it, bool without_gain);

  /** Messages may travel in another way from now on. */
  void update_links();

  /** Make the thread, on processors of this rank that the pool leaves idle, or else on all of them.
      All ranks get one or none.  Collective. */
  void make_thread();

  /** End the thread, after its work, for PPPM's own computation. */
  void disable();

  /** Whether start() may be called. */
  bool ready() const { return possible && gains && solve.has_thread(); }

  /** Atoms and wanted results of a step, for start() or finish(). */
  TOFU_NS::MeshRequest &request() { return solve.request; }

  void start();

  /** Whether the solution in hand is of this step and has the wanted results; the same on all
      ranks.  An error if it is, and atoms have changed. */
  bool started_for(const TOFU_NS::MeshRequest &wanted);

  /** Wait for the solution in hand, or solve the request now, shared by these parts. */
  const TOFU_NS::MeshResults &finish(const TOFU_NS::Parts &parts);

  /** Wait for the solution in hand, the results of which are not needed. */
  void await();

  /** Decide whether start() gains something.  After finish() in setup.  Collective. */
  void measure_gain(const TOFU_NS::Parts &parts);

  /** The forces of a step are complete.  If a solution is in hand, nothing has requested it: no
      more are started, since the same would happen in each step. */
  void end_step();

  /** Write to screen and log.  Collective. */
  void print_statistics();

 private:
  PPPMLinks &links;
  TOFU_NS::SideSolve solve;
  bool wanted = true;          // by the user
  bool always = false;         // wanted also where it does not gain
  bool possible = false;       // and can be done
  bool gains = true;           // and makes steps shorter
  bool shares_core = false;    // with threads that compute
  bool one_node = true;        // has all ranks
  bigint nbeside = 0;          // steps with start() since init()

  std::string obstacle() const;
  bool is_possible() const;
};

}    // namespace LAMMPS_NS

#endif
