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
