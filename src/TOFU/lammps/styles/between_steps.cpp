// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "between_steps.h"

#include "style_table.h"

#include "compute.h"
#include "fix.h"
#include "lammps.h"
#include "modify.h"
#include "utils.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace FixConst;
using namespace TOFU_NS;

/* ----------------------------------------------------------------------
   fixes that are called nowhere else change nothing then.  Those of the end of a
   step are called in some steps only
------------------------------------------------------------------------- */

StepChanges TOFU_NS::changes_between_steps(LAMMPS *lmp, const Fix *self)
{
  StepChanges changes;
  for (Fix *fix : lmp->modify->get_fix_list()) {
    const int mask = lmp->modify->get_fix_mask(fix);
    const unsigned traits = fix_traits(fix->style);
    if (fix == self || (traits & ONLY_READS)) continue;
    if (mask & (INITIAL_INTEGRATE | FINAL_INTEGRATE))
      changes.intervals.push_back(1);
    else if ((mask & END_OF_STEP) && !(traits & READS_AT_END_OF_STEP))
      changes.intervals.push_back(fix->nevery > 0 ? fix->nevery : 1);
  }
  return changes;
}

/* ---------------------------------------------------------------------- */

bool TOFU_NS::integrates_alone(LAMMPS *lmp, const Fix *self)
{
  const auto &fixes = lmp->modify->get_fix_list();
  return std::none_of(fixes.begin(), fixes.end(), [&](Fix *fix) {
    return fix != self &&
        lmp->modify->get_fix_mask(fix) & (INITIAL_INTEGRATE | POST_INTEGRATE | FINAL_INTEGRATE);
  });
}

/* ----------------------------------------------------------------------
   what is not in the table, and other pressures, are taken to do so
------------------------------------------------------------------------- */

bool TOFU_NS::long_range_virial_is_read(LAMMPS *lmp)
{
  for (const Compute *compute : lmp->modify->get_compute_list()) {
    if (!compute_traits(compute->style)) return true;
    if (compute->pressflag && !utils::strmatch(compute->style, "/threadpool$")) return true;
  }
  return false;
}

/* ----------------------------------------------------------------------
   none of those in the table does
------------------------------------------------------------------------- */

bool TOFU_NS::computes_may_compute_forces(LAMMPS *lmp)
{
  const auto &computes = lmp->modify->get_compute_list();
  return std::any_of(computes.begin(), computes.end(),
                     [](const Compute *compute) { return !compute_traits(compute->style); });
}
