// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "fix_nve_limit_threadpool.h"

#include "atom.h"

#include <cmath>

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

void FixNVELimitThreadpool::initial_integrate(int /*vflag*/)
{
  kick<true>();
}

/* ---------------------------------------------------------------------- */

void FixNVELimitThreadpool::final_integrate()
{
  kick<false>();
}

/* ----------------------------------------------------------------------
   velocities by half a step and no further than the limit, with MOVE also
   positions by a whole step
------------------------------------------------------------------------- */

template <bool MOVE> void FixNVELimitThreadpool::kick()
{
  const int nlocal = igroup == atom->firstgroup ? atom->nfirst : atom->nlocal;
  if (nlocal == 0) return;

  double *const x = atom->x[0], *const v = atom->v[0];
  const double *const f = atom->f[0], *const rmass = atom->rmass, *const mass = atom->mass;
  const int *const type = atom->type, *const mask = atom->mask;

  const auto nlimited = sum_over_atoms<1>(threadpool, nlocal, [&](int first, int last) {
    int n = 0;
    for (int i = first; i < last; i++) {
      if (!(mask[i] & groupbit)) continue;
      const double dtfm = dtf / (rmass ? rmass[i] : mass[type[i]]);
      double *const vi = v + 3 * i;
      for (int k = 0; k < 3; k++) vi[k] += dtfm * f[3 * i + k];
      const double vsq = vi[0] * vi[0] + vi[1] * vi[1] + vi[2] * vi[2];
      if (vsq > vlimitsq) {
        n++;
        const double scale = sqrt(vlimitsq / vsq);
        for (int k = 0; k < 3; k++) vi[k] *= scale;
      }
      if (MOVE)
        for (int k = 0; k < 3; k++) x[3 * i + k] += dtv * vi[k];
    }
    return std::array<double, 1>{static_cast<double>(n)};
  });
  ncount += static_cast<int>(nlimited[0]);
}
