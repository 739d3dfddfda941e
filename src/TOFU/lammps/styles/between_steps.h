// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// Whether sums over ranks that were made at the end of a step are still valid when the next begins,
// and whether computes may read them before they are made.

#ifndef TOFU_BETWEEN_STEPS_H
#define TOFU_BETWEEN_STEPS_H

#include "lmptype.h"

#include <vector>

namespace LAMMPS_NS {
class Fix;
class LAMMPS;
}    // namespace LAMMPS_NS

namespace TOFU_NS {

/** After which steps fixes may change velocities, or their parts of the virial, before the next
    step. */
struct StepChanges {
  std::vector<int> intervals;    // after multiples of one of these; 1: after each

  bool after(LAMMPS_NS::bigint step) const
  {
    for (int interval : intervals)
      if (step % interval == 0) return true;
    return false;
  }
};

/** By other fixes than this one, after its last part of a step and before its first part of the
    next; the same on all ranks.  To be called in setup(), after init() of all fixes. */
StepChanges changes_between_steps(LAMMPS_NS::LAMMPS *, const LAMMPS_NS::Fix *);

/** Whether no other fix than this one integrates, or moves atoms after that; the same on all
    ranks. */
bool integrates_alone(LAMMPS_NS::LAMMPS *, const LAMMPS_NS::Fix *);

/** Whether a compute may read the virial of the kspace style other than compute
    pressure/threadpool; the same on all ranks. */
bool long_range_virial_is_read(LAMMPS_NS::LAMMPS *);

/** Whether a compute may compute forces when its values are requested, as compute born/matrix does
    with atoms that it displaces; the same on all ranks. */
bool computes_may_compute_forces(LAMMPS_NS::LAMMPS *);

}    // namespace TOFU_NS

#endif
