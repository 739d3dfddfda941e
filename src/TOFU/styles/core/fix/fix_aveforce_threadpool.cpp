// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "fix_aveforce_threadpool.h"

#include "threadpool/fixes/fix_calls.h"

#include "atom.h"
#include "domain.h"
#include "region.h"
#include "respa.h"
#include "update.h"
#include "utils.h"

#include <algorithm>
#include <cstring>

using namespace LAMMPS_NS;

/* ----------------------------------------------------------------------
   fix aveforce has checked its arguments
------------------------------------------------------------------------- */

FixAveForceThreadpool::FixAveForceThreadpool(LAMMPS *lmp, int narg, char **arg) :
    GroupFixOnPool(lmp, narg, arg)
{
  for (int k = 0; k < 3; k++) {
    averages[k] = strcmp(arg[3 + k], "NULL") != 0;
    if (utils::strmatch(arg[3 + k], "^v_"))
      variables[k] = arg[3 + k] + 2;
    else if (averages[k])
      added[k] = utils::numeric(FLERR, arg[3 + k], false, lmp);
  }
  if (narg > 6) region_id = arg[narg - 1];
}

/* ---------------------------------------------------------------------- */

void FixAveForceThreadpool::init()
{
  GroupFixOnPool::init();
  region_used = region_id.empty() ? nullptr : domain->get_region_by_id(region_id);
  if (const auto *const respa = dynamic_cast<Respa *>(update->integrate))
    level = respa_level >= 0 ? std::min(respa_level, respa->nlevels - 1) : respa->nlevels - 1;
}

/* ---------------------------------------------------------------------- */

void FixAveForceThreadpool::post_force(int /*vflag*/)
{
  average(true);
}

void FixAveForceThreadpool::post_force_respa(int /*vflag*/, int ilevel, int /*iloop*/)
{
  average(ilevel == level);
}

/* ---------------------------------------------------------------------- */

void FixAveForceThreadpool::average(bool with_added)
{
  if (region_used) region_used->prematch();
  const AtomRows f(atom->f);
  const GroupLoops atoms = loops(region_used);
  const auto mine = atoms.sum<4>([=](int i, std::array<double, 4> &sums) {
    for (int k = 0; k < 3; k++) sums[k] += f[i][k];
    sums[3] += 1.0;
  });
  sum_over_ranks(lmp, 4, mine.data(), before.data());
  const int natoms = static_cast<int>(before[3]);
  if (natoms == 0) return;

  if (with_added) evaluate_variables(lmp, variables, added);
  double force[3];
  for (int k = 0; k < 3; k++) force[k] = before[k] / natoms + (with_added ? added[k] : 0.0);
  atoms.map([=, sets = averages](int i) {
    for (int k = 0; k < 3; k++)
      if (sets[k]) f[i][k] = force[k];
  });
}
