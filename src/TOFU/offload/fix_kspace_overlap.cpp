/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

/* ----------------------------------------------------------------------
   Contributing authors: the TOFU developers
------------------------------------------------------------------------- */

#include "fix_kspace_overlap.h"

#include "long_range_overlap.h"

#include "atom_masks.h"
#include "comm.h"
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

static bool others_come_later(LAMMPS *lmp)
{
  bool passed = false, later = false;
  for (Fix *fix : lmp->modify->get_fix_list()) {
    if (passed && lmp->modify->get_fix_mask(fix) & (PRE_FORCE | MIN_PRE_FORCE)) later = true;
    if (strcmp(fix->id, FixKspaceOverlap::ID) == 0) passed = true;
  }
  return later;
}

void FixKspaceOverlap::append(LAMMPS *lmp)
{
  const bool there = lmp->modify->get_fix_by_id(ID) != nullptr;
  if (there && !others_come_later(lmp)) return;
  if (there) lmp->modify->delete_fix(ID);
  lmp->modify->add_fix(std::string(ID) + " all KSPACE_OVERLAP");
}

/* ---------------------------------------------------------------------- */

FixKspaceOverlap::FixKspaceOverlap(LAMMPS *lmp, int narg, char **arg) : Fix(lmp, narg, arg)
{
  if (narg != 3 || strcmp(id, ID) != 0)
    error->all(FLERR, "Fix KSPACE_OVERLAP is added by kspace_style pppm/offload only");
  datamask_read = datamask_modify = EMPTY_MASK;
}

/* ---------------------------------------------------------------------- */

int FixKspaceOverlap::setmask()
{
  return PRE_FORCE | MIN_PRE_FORCE | PRE_REVERSE | MIN_PRE_REVERSE;
}

/* ----------------------------------------------------------------------
   the kspace style may have been changed since the fix was added
------------------------------------------------------------------------- */

LongRangeOverlap *FixKspaceOverlap::style() const
{
  return dynamic_cast<LongRangeOverlap *>(force->kspace);
}

/* ----------------------------------------------------------------------
   pair styles may have added fixes since the kspace style was initialized
------------------------------------------------------------------------- */

void FixKspaceOverlap::init()
{
  late = others_come_later(lmp);
  if (late && comm->me == 0)
    error->warning(FLERR,
                   "The long-range part runs after the pair forces, not beside them, since a pair "
                   "style has added a fix that acts before forces");
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
  if (late || update->setupflag || !force->kspace || !force->kspace->compute_flag) return;
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
  if (LongRangeOverlap *const overlap = style()) overlap->print_statistics();
}
