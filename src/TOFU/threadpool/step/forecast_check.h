// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_FORECAST_CHECK_H
#define LMP_FORECAST_CHECK_H

#include "pointers.h"

#include "base/check_horizon.h"
#include "base/position_history.h"
#include "base/unsent_findings.h"
#include "displacements.h"
#include "started_minimum.h"
#include "threadpool/pool/rank_sum.h"

#include <array>
#include <string>

namespace LAMMPS_NS {

/** The neighbor check of package threadpool check horizon and check ahead, which forecasts how far
    atoms will move: ranks make a reduction in few steps only, with check ahead one that starts some
    steps before it is read.  A forecast may be wrong; then lists are built too late.  A sum over
    ranks that is made in a step for other reasons has the answer for the next step as well. */
class ForecastCheck : protected Pointers {
 public:
  /** \param displacements   of this rank */
  ForecastCheck(LAMMPS *, const Displacements &displacements);

  /** Steps begin.

      \param enabled      this way of checking is wanted and possible
      \param threadpool   may be nullptr if not */
  void begin_run(class RankPool *threadpool, bool enabled);

  /** Lists are new. */
  void begin_lists();

  /** Ranks have decided to build lists in this step. */
  void note_build();

  /** Something has happened, up to this step, after which speeds of the last step do not bound
      displacements.  To be called first in a step in which lists may be built. */
  void invalidate_speeds(bigint step) { horizon.invalidate_speeds(step); }

  /** Whether check() is to be called for the lists at hand: forecasts pay. */
  bool in_use() const { return enabled && pays; }

  /** Whether lists must be built in this step; in which lists may be built.  Collective. */
  bool check(RankPool *);

  /** Whether all atoms of all ranks are near to their sub-boxes, for a build that check() has just
      asked for. */
  bool all_are_near() const { return near; }

  /** The step goes on with the present lists: reductions that start in it.  Collective. */
  void prepare_next(RankPool *);

  /** Let MPI continue a reduction. */
  void progress() { reduction.progress(); }

  /** A loop over steps ends.  Collective. */
  void end_steps() { reduction.drop(); }

  /** A run ends.  Collective.

      \param nchecks       that LAMMPS would have made
      \param nreductions   that were made besides those of check()
      \return              a line for the log */
  std::string end_run(bigint nchecks, bigint nreductions);

  double memory_usage() const { return static_cast<double>(history.nbytes()); }

 private:
  const Displacements &displacements;
  TOFU_NS::CheckHorizon horizon;
  TOFU_NS::UnsentFindings unsent;
  TOFU_NS::PositionHistory history;
  std::array<TOFU_NS::BoxCorners, TOFU_NS::PositionHistory::NSTEPS> corners;    // as history
  bool enabled = false;
  bool pays = true;    // for the present lists

  struct ChecksOfLists {
    int now = 0;          // of the present lists
    double mean = 0.0;    // of some lists; 0: not known
  } nchecks;

  bool agreed = false;    // the next build is one that ranks have agreed on
  bool near = false, near_if_built = false;
  bigint certain_step = -1;    // in which an atom of this rank will have passed the limit for
                               // certain, as it has sent to all; -1: none

  // a sum over ranks that is made in a step has the # of ranks that may pass in the next

  bigint summed_at = -1;
  int passes_soon = 0;    // 1: an atom of this rank has passed the limit, or may in the next step
  RankSum ranks_that_pass;

  bigint reduced_at = -1;    // step of the last reduction that was read at once
  double dt_reduced = 0.0;
  StartedMinimum reduction;

  struct Counts {
    bigint nreductions = 0, nstarted = 0, nlate = 0;
  } counts;    // since the last end
  bool warned = false;

  bool forecasts_pay() const;
  bool reduce_now(RankPool *);
  bool build_ahead(RankPool *);
  bool build_is_certain() const;
  bool read_reduction();
  void start_reduction(RankPool *);
  void accept(const TOFU_NS::CheckHorizon::Verdict &);
  void join_sums(RankPool *);
  void read_sum(double nranks);
  TOFU_NS::CheckHorizon::BuildSteps build_steps() const;
  const double *x_before(int nsteps) const;
  TOFU_NS::CheckHorizon::Findings findings(RankPool *, int ahead);
  double forecast_paths(RankPool *, double closer, TOFU_NS::CheckHorizon::Findings &);
  bool reduces_in(int nsteps) const;
  void keep_positions(RankPool *);
  void warn_late(int nsteps);
};

}    // namespace LAMMPS_NS

#endif
