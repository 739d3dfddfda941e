// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_STEP_SUMS_H
#define LMP_STEP_SUMS_H

#include "pointers.h"

#include "rank_sum.h"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace LAMMPS_NS {

/** Sums over ranks that are wanted at the same place of a step, by one reduction.

    A Stage is such a place: a few requests, one after the other.  Sums that were requested there
    the last time are expected again: the first request makes all of them.  Each sum is made at
    most once in a stage, unless scaled() or moved() says that what is summed has changed.  All
    decisions are the same on all ranks. */
class StepSums : protected Pointers {
 public:
  struct Stage {                                   // for StepSums alone to change
    std::vector<RankSum *> expected, requested;    // the last time, and now
    std::vector<RankSum *> valid;                  // made, and not changed since
    bool carried = false;    // carry() has set `valid`, for the Scope that begins next
    bigint step = -1;        // of the last time
    int run = -1;

    void forget() { *this = Stage(); }
    bool empty() const { return expected.empty(); }    // nothing was requested the last time
  };

  /** Requests belong to the stage as long as this object exists. */
  class Scope {
   public:
    Scope(StepSums &, Stage &);
    ~Scope();
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

   private:
    StepSums &sums;
    Stage &stage;
  };

  explicit StepSums(class LAMMPS *lmp) : Pointers(lmp) {}

  /** The sums; made now unless the stage has them.  Collective. */
  const double *of(RankSum &);

  /** The velocities of a group are multiplied by a factor: sums of their squares by its square. */
  void scaled(int group, double factor);

  /** Velocities have changed: no sum over them is valid. */
  void moved();

  /** What moves all atoms from the last requests of a step to the next forces: velocities are
      multiplied by factors that are noted, get dtf times force over mass, and positions dtv times
      velocity.  The box may carry atoms with it. */
  struct NextMove {
    double dtf, dtv;
  };

  /** The last requests of a step follow, at the end of its forces.

      \param next   if it is known */
  void begin_last_requests(std::optional<NextMove> next);
  const std::optional<NextMove> &next_move() const { return next; }

  /** Have a sum made with the first of the last requests of this step, if next_move() is known. */
  void join_last_requests(RankSum &sum) { with_last = &sum; }

  /** Velocities are multiplied by factors between this one and its inverse. */
  void note_factor(double factor) { sum_of_logs += std::fabs(std::log(factor)); }

  /** Since forget_factors() all of them have come to a factor between exp(-c) and exp(c).

      \return   c */
  double largest_change() const { return sum_of_logs; }
  void forget_factors() { sum_of_logs = 0.0; }

  /** What was valid at the end of one stage is valid when another begins in the next step: to be
      called if nothing else has changed what is summed.  Without effect outside of the loop of
      VerletThreadpool, between whose steps nothing happens. */
  void carry(const Stage &from, Stage &to);

  /** Requests will come in this step.

      \param unread   nothing reads the sums of defer() before these requests */
  void expect_requests(bool unread);

  /** Have a sum made with the next request, if one will come and nothing reads the sum before.

      \return   whether the sum will be made; if not, the caller has to do so */
  bool defer(RankSum &);

  /** Have a sum made with the next request, if one comes. */
  void join_next_request(RankSum &);

  /** Undo join_next_request() for a sum that is about to be destroyed. */
  void withdraw(const RankSum &);

  /** No request will come any more in this step: make what was deferred.  Collective. */
  void end_requests();

  /** At the begin and end of a loop over steps; at the begin of a run. */
  void begin_steps();
  void end_steps() { in_steps = false; }
  void forget();

  /** A line on the requests since the last time, or "". */
  std::string end_run();

 private:
  Stage *stage = nullptr;
  std::vector<RankSum *> deferred;    // for the next request
  std::vector<RankSum *> companions;
  bigint expected_in = -1;       // step with requests to come
  bool unread_before = false;    // nothing reads deferred sums before them
  RankSum *with_last = nullptr;
  std::optional<NextMove> next;
  double sum_of_logs = 0.0;
  bool in_steps = false;
  int run = 0;
  bigint nrequests = 0, nreductions = 0;

  bool expects_requests() const;    // in this step
  void reduce(std::vector<RankSum *>);
  template <class Wrong> void drop(const Wrong &);
};

}    // namespace LAMMPS_NS

#endif
