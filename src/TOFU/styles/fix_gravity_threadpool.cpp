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

#include "fix_gravity_threadpool.h"

#include "atom.h"

using namespace LAMMPS_NS;

/* ----------------------------------------------------------------------
   a gravity that changes is found by fix gravity
------------------------------------------------------------------------- */

void FixGravityThreadpool::post_force(int vflag)
{
  if (varflag != CONSTANT || disable || atom->nlocal == 0) {
    FixGravity::post_force(vflag);
    return;
  }

  double *const f = atom->f[0];
  const double *const x = atom->x[0], *const rmass = atom->rmass, *const mass = atom->mass;
  const int *const type = atom->type, *const mask = atom->mask;

  const auto energy = sum_over_atoms<1>(threadpool, atom->nlocal, [&](int first, int last) {
    double sum = 0.0;
    for (int i = first; i < last; i++) {
      if (!(mask[i] & groupbit)) continue;
      const double massone = rmass ? rmass[i] : mass[type[i]];
      f[3 * i] += massone * xacc;
      f[3 * i + 1] += massone * yacc;
      f[3 * i + 2] += massone * zacc;
      sum -= massone * (xacc * x[3 * i] + yacc * x[3 * i + 1] + zacc * x[3 * i + 2]);
    }
    return std::array<double, 1>{sum};
  });
  egrav = energy[0];
  eflag = 0;
}
