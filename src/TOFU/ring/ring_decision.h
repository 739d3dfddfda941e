// SPDX-License-Identifier: GPL-2.0-only
//
// RingDecision: the transfers of a run, and when they are planned anew.  transfers() is the same on
// all ranks; amount() is in units of this rank.

#ifndef LMP_RING_DECISION_H
#define LMP_RING_DECISION_H

#include "pointers.h"

#include "balance/gain_trial.h"
#include "balance/ring_plan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace LAMMPS_NS {

class RingDecision : protected Pointers {
 public:
  RingDecision(LAMMPS *lmp, const struct RingSettings &s) : Pointers(lmp), settings(s) {}

  /** Drop the plan and its counters; a trial whether transfers pay goes on. */
  void init();

  /** In setup of a run: the next plan_if_due() makes a plan. */
  void start_run();

  /** Before lists are built: with keyword rest, end the present window of a trial if it is long
      enough; then the next plan_if_due() makes a plan.  Collective. */
  void advance_trial();

  /** Make a new plan if one is due.  Collective. */
  void plan_if_due(class RowCost &, const class RingRanks &);

  /** Nothing is handed over until the next plan. */
  void clear() { plan.clear(); }

  const std::vector<TOFU_NS::Transfer> &transfers() const { return plan; }

  /** Amount of a transfer whose donor is this rank, in units of its RowCost. */
  std::int64_t amount(const TOFU_NS::Transfer &) const;

  bigint nplans() const { return nmade; }

  /** Why nothing is handed over although it is possible, for the log; or "". */
  std::string reason_of_rest() const;

 private:
  const RingSettings &settings;
  std::vector<TOFU_NS::Transfer> plan;
  double scale = 1.0;    // from units of this rank to those of the plan
  bigint next = -1;      // step of the next plan
  bigint nmade = 0;
  TOFU_NS::GainTrial trial;

  void make_plan(RowCost &, const RingRanks &);
  void rest_unless_it_pays();
};

}    // namespace LAMMPS_NS

#endif
