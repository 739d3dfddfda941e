// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "fix_nve_threadpool.h"

#include "threadpool/fixes/group_on_pool.h"

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

void FixNVEThreadpool::initial_integrate(int /*vflag*/)
{
  GroupOnPool(lmp, threadpool, igroup, groupbit).kick_and_move(dtf, dtv);
}

/* ---------------------------------------------------------------------- */

void FixNVEThreadpool::final_integrate()
{
  GroupOnPool(lmp, threadpool, igroup, groupbit).kick(dtf);
}
