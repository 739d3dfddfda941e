// SPDX-License-Identifier: GPL-2.0-only
//
// The plan of a run: from what each rank has measured to the transfers between ranks.  Every rank
// derives the same plan from the same numbers.

#ifndef TOFU_BALANCE_WORK_PLAN_H
#define TOFU_BALANCE_WORK_PLAN_H

#include "ring_plan.h"

#include <cstdint>
#include <vector>

namespace TOFU_NS {

/** Work of the rows that a rank owns. */
struct MeasuredWork {
  double units = 0.0;                   // rows, or the atoms in them
  double nanoseconds_per_unit = 0.0;    // 0: not measured
};

/** [nranks] factor from the units of each rank to those of the plan: nanoseconds if all ranks with
    rows have measured them, otherwise 1. */
std::vector<double> plan_scales(const std::vector<MeasuredWork> &ranks);

/** What a plan is made with. */
struct PlanOptions {
  double thresh = 1.0;        // largest work over average work up to which nothing moves
  bool level_node = false;    // nodes hand over work, not ranks
  RingDirection direction = RingDirection::BOTH;
};

/** Transfers, in units of the plan; none if the largest work is below the threshold.

    \param ring           order of the ranks
    \param node_of_rank   [nranks] any numbers, the same for ranks of one node
    \param ranks          [nranks]
    \param options        threshold, level and direction
    \return   sorted by from, then to; one per pair of ranks */
std::vector<Transfer> plan_work(const RankRing &ring, const std::vector<int> &node_of_rank,
                                const std::vector<MeasuredWork> &ranks, const PlanOptions &options);

}    // namespace TOFU_NS

#endif
