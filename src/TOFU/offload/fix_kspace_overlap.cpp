// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "fix_kspace_overlap.h"

#include "long_range_overlap.h"

#include "lammps/io/run_summary.h"

#include "atom_masks.h"
#include "error.h"
#include "force.h"
#include "kspace.h"
#include "modify.h"
#include "update.h"

#include <cstring>
#include <string>

using namespace LAMMPS_NS;
using namespace FixConst;

/* ----------------------------------------------------------------------
   moved only where that is needed: Modify may be in the middle of a run
------------------------------------------------------------------------- */

void FixKspaceOverlap::append(LAMMPS *lmp)
{
  Modify *const modify = lmp->modify;
  const Fix *const second = modify->get_fix_by_id(SECOND_ID);
  const auto *const there =
      dynamic_cast<const FixKspaceOverlap *>(second ? second : modify->get_fix_by_id(ID));
  if (there && !there->others_come_later()) return;
  if (second) modify->delete_fix(SECOND_ID);
  if (there) modify->delete_fix(ID);
  modify->add_fix(std::string(ID) + " all KSPACE_OVERLAP");
}

/* ---------------------------------------------------------------------- */

bool FixKspaceOverlap::others_come_later() const
{
  bool passed = false, later = false;
  for (Fix *fix : modify->get_fix_list()) {
    if (passed && modify->get_fix_mask(fix) & (PRE_FORCE | MIN_PRE_FORCE)) later = true;
    if (fix == this) passed = true;
  }
  return later;
}

/* ---------------------------------------------------------------------- */

FixKspaceOverlap::FixKspaceOverlap(LAMMPS *lmp, int narg, char **arg) : Fix(lmp, narg, arg)
{
  if (narg != 3 || (strcmp(id, ID) != 0 && strcmp(id, SECOND_ID) != 0))
    error->all(FLERR, "Fix KSPACE_OVERLAP is added by kspace_style pppm/offload only");
  datamask_read = datamask_modify = EMPTY_MASK;
}

/* ---------------------------------------------------------------------- */

int FixKspaceOverlap::setmask()
{
  return PRE_FORCE | MIN_PRE_FORCE | PRE_REVERSE | MIN_PRE_REVERSE;
}

/* ----------------------------------------------------------------------
   the kspace style may have been changed since the fix was added.  nullptr: this
   one has nothing to do
------------------------------------------------------------------------- */

LongRangeOverlap *FixKspaceOverlap::style() const
{
  return rests ? nullptr : dynamic_cast<LongRangeOverlap *>(force->kspace);
}

/* ----------------------------------------------------------------------
   Pair styles, and fix THREADPOOL, may have added fixes since the kspace style was
   initialized.  Modify is in a loop over fixes here: one can be added behind all
   others, and will be initialized, but this one cannot be moved
------------------------------------------------------------------------- */

void FixKspaceOverlap::init()
{
  rests = others_come_later();
  if (!rests) return;
  if (modify->get_fix_by_id(SECOND_ID)) modify->delete_fix(SECOND_ID);
  modify->add_fix(std::string(SECOND_ID) + " all KSPACE_OVERLAP");
}

/* ---------------------------------------------------------------------- */

void FixKspaceOverlap::setup_pre_force(int)
{
  if (LongRangeOverlap *const overlap = style()) overlap->prepare();
}

/* ----------------------------------------------------------------------
   in setup() the kspace style gets its own setup() only after the pair forces
------------------------------------------------------------------------- */

void FixKspaceOverlap::pre_force(int vflag)
{
  if (update->setupflag || !force->kspace || !force->kspace->compute_flag) return;
  if (LongRangeOverlap *const overlap = style()) overlap->start(vflag);
}

void FixKspaceOverlap::min_pre_force(int vflag)
{
  pre_force(vflag);
}

/* ---------------------------------------------------------------------- */

void FixKspaceOverlap::pre_reverse(int, int)
{
  if (LongRangeOverlap *const overlap = style()) overlap->end();
}

void FixKspaceOverlap::min_pre_reverse(int eflag, int vflag)
{
  pre_reverse(eflag, vflag);
}

/* ---------------------------------------------------------------------- */

void FixKspaceOverlap::post_run()
{
  if (!TOFU_NS::summary_follows(lmp)) return;
  if (LongRangeOverlap *const overlap = style()) overlap->print_statistics();
}
