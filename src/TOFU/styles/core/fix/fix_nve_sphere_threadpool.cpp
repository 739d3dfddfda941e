// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "fix_nve_sphere_threadpool.h"

#include "threadpool/fixes/group_on_pool.h"

using namespace LAMMPS_NS;

/* ----------------------------------------------------------------------
   dipoles turn in many ways, each of which is that of fix nve/sphere
------------------------------------------------------------------------- */

void FixNVESphereThreadpool::initial_integrate(int vflag)
{
  if (extra) {
    FixNVESphere::initial_integrate(vflag);
    return;
  }
  GroupOnPool(lmp, threadpool, igroup, groupbit).kick_move_and_turn(dtf, dtv, inertia);
}

/* ---------------------------------------------------------------------- */

void FixNVESphereThreadpool::final_integrate()
{
  GroupOnPool(lmp, threadpool, igroup, groupbit).kick_and_turn(dtf, inertia);
}
