/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_NEIGHBOR_CHECK_H
#define LMP_NEIGHBOR_CHECK_H

#include "pointers.h"

#include "base/build_forecast.h"
#include "base/check_horizon.h"
#include "lammps/box_corners.h"
#include "lammps/last_build.h"
#include "threadpool/pool/rank_sum.h"
#include "started_minimum.h"

#include <array>
#include <string>
#include <vector>

namespace LAMMPS_NS {

/** Neighbor::decide() with the check of distances on the pool: lists are built in the steps in
    which Neighbor builds them.  By default all ranks ask each other in each step that neigh_modify
    allows.  With package threadpool check overlap they read the answer after the forces of pairs
    have been computed, unless a build is likely.

    Two other ways foretell how far atoms will come, which may be wrong: no reduction in steps in
    which no rank is likely to have an atom that has moved too far (check horizon), or reductions
    that are started some steps before they are read (check ahead).  In steps in which ranks make a
    sum of something else anyway, the sum tells whether they must ask next. */
class NeighborCheck : protected Pointers {
 public:
  using Pointers::Pointers;

  /** Steps begin, perhaps after commands that have changed anything.  Collective. */
  void begin_run(class RankPool *);

  /** Neighbor has just built its lists: keep the box. */
  void hold();

  /** Let Neighbor build its lists, and hold(). */
  void build(class RankPool *);

  enum class Lists { GOOD, OLD, UNKNOWN };

  /** Whether the neighbor lists must be built anew in this step, as Neighbor::decide() says; once a
      step, or once an evaluation of forces if begin_run() was not called.  Collective.

      \param may_go_on   the caller can go on before it knows, the same on all ranks
      \return            UNKNOWN: ranks have begun to ask each other; are_old() has the answer */
  Lists decide(class RankPool *, bool may_go_on = false);

  /** The answer after decide() has returned UNKNOWN.  Collective. */
  bool are_old();

  /** Let what ranks have asked each other get on; as often in a step as stages end. */
  void progress()
  {
    if (question.under_way()) question.progress();
  }

  /** A loop over steps ends, perhaps between a question and its answer.  Collective. */
  void end_steps() { question.drop(); }

  /** Whether all atoms of all ranks are so near to their sub-boxes that they can go to ranks with
      links only; the same on all ranks, true for a build that decide() has just asked for. */
  bool all_are_near() const { return near; }

  /** Steps have ended.  Collective.

      \return   a line for the log, empty if there is nothing to tell */
  std::string end_run();

  double memory_usage() const
  {
    std::size_t n = 0;
    for (const Before &one : before) n += one.x.capacity();
    return static_cast<double>(n * sizeof(double));
  }

 private:
  TOFU_NS::BoxCorners corners_hold;    // at the last build
  TOFU_NS::LastBuild held;

  bool by_overlap = false;
  TOFU_NS::BuildForecast forecast;    // if by overlap

  TOFU_NS::CheckHorizon horizon;
  bool by_horizon = false;
  bool forecasts = true;    // for the lists that there are now, if by horizon

  // checks of these lists, and of lists on the average of some; 0: not known

  int nchecks_now = 0;
  double nchecks_mean = 0.0;
  bool foreseen = false;    // the next build is one that the ranks have agreed on
  bool near = false, near_if_built = false;
  bigint passed_at = -1;    // step in which an atom was beyond the limit unseen; -1 none
  int late_before = 0;      // by so many steps, before the last build; not told yet
  bool at_first =
      false;              // at the last build an atom was, in the first step allowed; not told yet
  bigint sure_of = -1;    // step in which an atom of this rank has passed, it has told; -1: none
  bool too_sure = false;    // it was wrong; not told yet

  int pass_soon = 0;         // an atom of this rank may be beyond the limit in the next step
  bigint soon_after = -1;    // of this step
  RankSum ranks_that_pass{RankSum::Of::FORCES, 1, [this](double *part) { *part = pass_soon; },
                          [this](const double *all) {
                            put_off(*all);
                          }};

  // by overlap: a sum over ranks at the end of a step tells whether an atom can pass in the next

  RankSum ranks_that_pass_next{RankSum::Of::FORCES, 1,
                               [this](double *part) { *part = may_pass_next(); },
                               [this](const double *all) {
                                 note_next(*all);
                               }};
  class RankPool *rank_pool = nullptr;    // of this run
  bigint none_passes_in = -1;             // step; if the move was as foreseen
  TOFU_NS::BoxCorners corners_then;
  bigint asked_at = -1;

  StartedMinimum question;
  bool tells_passed = false;    // it has what passed_at says

  static constexpr int NBEFORE = 3;    // steps that a forecast needs
  struct Before {
    bigint step = -1;
    std::vector<double> x;    // [natoms][3]
    TOFU_NS::BoxCorners corners;
  };
  std::array<Before, NBEFORE> before;    // of the last steps; that of a step at its number

  struct Counts {
    bigint nchecks = 0, nreductions = 0, nstarted = 0, nlate = 0, nin_vain = 0, nby_sums = 0;
  } counts;    // since the last end
  bool warned = false;
  double dt_asked = 0.0;    // update->dt when the ranks asked last

  TOFU_NS::CheckHorizon::BuildSteps build_steps() const;
  bool in_first_step() const;
  int natoms_checked() const;
  bool may_build(int ago) const;
  bool asks_in(int nsteps) const;
  void ask_with_sums(class RankPool *);
  bool may_pass_next();
  void note_next(double npass);
  bool sum_has_answered() const;
  void put_off(double npass);
  double moved() const;
  double limit() const;
  double trigger() const;
  bool due_without_distances();
  Lists check(class RankPool *, bool may_go_on);
  bool uses_forecasts() const { return by_horizon && forecasts; }
  bool forecasts_pay() const;
  void note_build();
  double largest_move(class RankPool *) const;
  bool some_passed(class RankPool *) const;
  Lists ask_for_this_step(class RankPool *, bool may_go_on);
  bool read_this_step(const int *smallest);
  bool ask(class RankPool *);
  bool build_ahead(class RankPool *);
  bool promised() const;
  void start_question(class RankPool *);
  bool read_answer();
  void tell(const TOFU_NS::CheckHorizon::Verdict &);
  int late() const;
  const Before &kept(bigint step) const { return before[step % NBEFORE]; }
  const double *x_before(int nsteps) const;
  TOFU_NS::CheckHorizon::Findings findings(class RankPool *, int ahead);
  double foresee(class RankPool *, double closer, TOFU_NS::CheckHorizon::Findings &);
  bool is_far(double largest, double closer) const;
  void keep_positions(class RankPool *);
  void tell_late(int nsteps);
  std::string end_overlap(const Counts &) const;
};

}    // namespace LAMMPS_NS

#endif
