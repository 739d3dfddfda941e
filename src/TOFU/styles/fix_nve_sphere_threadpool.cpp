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

#include "atom.h"

using namespace LAMMPS_NS;

/* ----------------------------------------------------------------------
   dipoles turn in many ways, each of which is that of fix nve/sphere
------------------------------------------------------------------------- */

void FixNVESphereThreadpool::initial_integrate(int vflag)
{
  if (extra)
    FixNVESphere::initial_integrate(vflag);
  else
    kick<true>();
}

/* ---------------------------------------------------------------------- */

void FixNVESphereThreadpool::final_integrate()
{
  kick<false>();
}

/* ----------------------------------------------------------------------
   velocities by half a step, with MOVE also positions by a whole one
------------------------------------------------------------------------- */

template <bool MOVE> void FixNVESphereThreadpool::kick()
{
  const int nlocal = igroup == atom->firstgroup ? atom->nfirst : atom->nlocal;
  if (nlocal == 0) return;

  double *const x = atom->x[0], *const v = atom->v[0], *const omega = atom->omega[0];
  const double *const f = atom->f[0], *const torque = atom->torque[0];
  const double *const radius = atom->radius, *const rmass = atom->rmass;
  const int *const mask = atom->mask;
  const double dtfrotate = dtf / inertia;

  for_atoms(threadpool, nlocal, [&](int first, int last) {
    for (int i = first; i < last; i++) {
      if (!(mask[i] & groupbit)) continue;
      const double dtfm = dtf / rmass[i];
      const double dtirotate = dtfrotate / (radius[i] * radius[i] * rmass[i]);
      for (int k = 3 * i; k < 3 * i + 3; k++) {
        v[k] += dtfm * f[k];
        if (MOVE) x[k] += dtv * v[k];
        omega[k] += dtirotate * torque[k];
      }
    }
  });
}
