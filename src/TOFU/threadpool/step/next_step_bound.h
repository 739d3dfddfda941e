// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_NEXT_STEP_BOUND_H
#define LMP_NEXT_STEP_BOUND_H

#include "pointers.h"

#include "displacements.h"
#include "threadpool/pool/rank_sum.h"

namespace LAMMPS_NS {

/** Whether an atom of any rank can pass the limit of displacements in the next step, by a number in
    a sum over ranks that fix nvt, npt or nph makes at the end of this step.  Positions, velocities
    and forces are known then.  The bound holds as long as factors of velocities and corners of the
    box change by little until the next step. */
class NextStepBound : protected Pointers {
 public:
  /** \param displacements   of this rank */
  NextStepBound(LAMMPS *, const Displacements &displacements);

  void begin_run(class RankPool *);

  /** Have the number in the sum of this step, if one is made. */
  void request();

  /** Whether no atom can have passed the limit in this step, by the sum of the step before; the
      same on all ranks. */
  bool holds() const;

 private:
  class RankPool *rank_pool = nullptr;
  const Displacements &displacements;
  RankSum ranks_that_pass;
  bigint none_passes_in = -1;          // step
  TOFU_NS::BoxCorners corners_then;    // when the number was found
  double dt_then = 0.0;

  bool may_pass();
};

}    // namespace LAMMPS_NS

#endif
