// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "fix_rigid_small_threadpool.h"

#include "domain.h"

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

void FixRigidSmallThreadpool::initial_integrate(int vflag)
{
  if (has_one_part()) {
    FixRigidSmall::initial_integrate(vflag);
    return;
  }
  on_pool.kick_and_move(bodies(), dtf, dtv, dtq);
  v_init(vflag);
  send_bodies();
  set_atoms();
}

/* ---------------------------------------------------------------------- */

void FixRigidSmallThreadpool::final_integrate()
{
  if (has_one_part()) {
    FixRigidSmall::final_integrate();
    return;
  }
  if (!earlyflag) compute_forces_and_torques();
  if (domain->dimension == 2) enforce2d();
  on_pool.kick(bodies(), dtf);
  send_motion_of_bodies();
  set_velocities();
}
