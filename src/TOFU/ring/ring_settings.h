// SPDX-License-Identifier: GPL-2.0-only
//
// Arguments of fix ring_balance.

#ifndef LMP_RING_SETTINGS_H
#define LMP_RING_SETTINGS_H

#include "balance/work_plan.h"

#include "lmptype.h"

#include <string>

namespace LAMMPS_NS {

struct RingSettings {
  enum class Mode { GHOST, FORWARD, AUTO };    // rank that sends the ghosts that a receiver lacks
  enum class Weight { ATOMS, NEIGHBORS, TIME };

  bigint nevery = 0;    // steps between two plans, 0: one plan for a run
  Mode mode = Mode::AUTO;
  Weight weight = Weight::ATOMS;
  TOFU_NS::PlanOptions plan;
  bool rest = false;        // nothing moves where it is not possible, or does not pay
  std::string ring_file;    // order of the ranks; empty: serpentine

  /** Read the arguments of the fix, from its ID on. */
  RingSettings(class LAMMPS *, int narg, char **arg);
};

}    // namespace LAMMPS_NS

#endif
