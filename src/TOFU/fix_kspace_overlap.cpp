/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "fix_kspace_overlap.h"

#include "long_range_overlap.h"

#include "error.h"
#include "force.h"
#include "kspace.h"
#include "modify.h"
#include "update.h"

#include <cstring>
#include <string>

using namespace LAMMPS_NS;
using namespace FixConst;

/* ---------------------------------------------------------------------- */

void FixKspaceOverlap::append(LAMMPS *lmp)
{
  const auto &fixes = lmp->modify->get_fix_list();
  if (!fixes.empty() && strcmp(fixes.back()->id, ID) == 0) return;
  if (lmp->modify->get_fix_by_id(ID)) lmp->modify->delete_fix(ID);
  lmp->modify->add_fix(std::string(ID) + " all KSPACE_OVERLAP");
}

/* ---------------------------------------------------------------------- */

FixKspaceOverlap::FixKspaceOverlap(LAMMPS *lmp, int narg, char **arg) : Fix(lmp, narg, arg)
{
  if (narg != 3 || strcmp(id, ID) != 0)
    error->all(FLERR, "Fix KSPACE_OVERLAP is added by kspace_style pppm/offload only");
}

/* ---------------------------------------------------------------------- */

int FixKspaceOverlap::setmask()
{
  return PRE_FORCE | MIN_PRE_FORCE;
}

/* ----------------------------------------------------------------------
   the kspace style may have been changed since the fix was added
------------------------------------------------------------------------- */

LongRangeOverlap *FixKspaceOverlap::style() const
{
  return dynamic_cast<LongRangeOverlap *>(force->kspace);
}

/* ----------------------------------------------------------------------
   in setup() the kspace style gets its own setup() only after the pair forces
------------------------------------------------------------------------- */

void FixKspaceOverlap::pre_force(int vflag)
{
  if (update->setupflag || !force->kspace || !force->kspace->compute_flag) return;
  if (LongRangeOverlap *const overlap = style()) overlap->start(vflag);
}

/* ---------------------------------------------------------------------- */

void FixKspaceOverlap::min_pre_force(int vflag)
{
  pre_force(vflag);
}

/* ---------------------------------------------------------------------- */

void FixKspaceOverlap::post_run()
{
  if (LongRangeOverlap *const overlap = style()) overlap->print_statistics();
}
