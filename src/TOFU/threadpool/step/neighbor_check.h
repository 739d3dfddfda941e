// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_NEIGHBOR_CHECK_H
#define LMP_NEIGHBOR_CHECK_H

#include "pointers.h"

#include "base/build_forecast.h"
#include "displacements.h"
#include "next_step_bound.h"
#include "started_minimum.h"

#include <string>

namespace LAMMPS_NS {

/** Neighbor::decide() with the check of distances on the pool: lists are built in the steps in
    which Neighbor builds them.  By default a reduction over ranks decides in each step that
    neigh_modify allows.  With package threadpool check overlap it is read after the forces of pairs
    have been computed, unless a build is likely, and NextStepBound may replace it.

    A fix that TOFU's table of styles does not have may do anything to atoms: with such a fix there
    is a reduction in each step, read at once. */
class NeighborCheck : protected Pointers {
 public:
  explicit NeighborCheck(LAMMPS *);

  /** Steps begin, perhaps after commands that have changed anything.  Collective. */
  void begin_run(class RankPool *);

  /** Note the build and the box; to be called when Neighbor has just built its lists. */
  void hold();

  /** Let Neighbor build its lists, and hold(). */
  void build(class RankPool *);

  enum class Lists { GOOD, OLD, UNKNOWN };

  /** Whether the neighbor lists must be built anew in this step, as Neighbor::decide() says; once a
      step, or once an evaluation of forces if begin_run() was not called.  Collective.

      \param may_go_on   the caller can go on before the reduction is read; the same on all ranks
      \return            UNKNOWN: a reduction has started; are_old() reads it */
  Lists decide(class RankPool *, bool may_go_on = false);

  /** The answer after decide() has returned UNKNOWN.  Collective. */
  bool are_old();

  /** Let MPI continue a reduction; to be called at the end of each stage of a step. */
  void progress() { reduction.progress(); }

  /** A loop over steps ends, perhaps between a reduction's start and its end.  Collective. */
  void end_steps() { reduction.drop(); }

  /** Whether all atoms of all ranks are so near to their sub-boxes that they can go to ranks with
      links only; the same on all ranks, true for a build that decide() has just asked for. */
  bool all_are_near() const { return near; }

  /** Steps have ended.  Collective.

      \return   a line for the log, or "" */
  std::string end_run();

 private:
  Displacements displacements;
  NextStepBound next_step;
  bool by_overlap = false;
  bool all_fixes_are_known = false;
  std::string logged;    // of fixes that are not known

  TOFU_NS::BuildForecast likely_builds;
  StartedMinimum reduction;
  bool near = false;

  struct Counts {
    bigint nchecks = 0, nreductions = 0, nstarted = 0, nin_vain = 0, nby_sums = 0;
  } counts;    // since the last end

  void find_ways(class RankPool *);
  bool due_without_distances();
  Lists check(class RankPool *, bool may_go_on);
  Lists reduce_in_this_step(class RankPool *, bool may_go_on);
  bool read_this_step(const int *smallest);
};

}    // namespace LAMMPS_NS

#endif
