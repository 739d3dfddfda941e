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
