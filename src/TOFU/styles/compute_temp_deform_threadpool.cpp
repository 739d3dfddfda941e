// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "compute_temp_deform_threadpool.h"

#include "atom.h"
#include "domain.h"

#include <cstddef>

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

void ComputeTempDeformThreadpool::thermal_velocities(int first, int last, double *to) const
{
  const double *const x = atom->x[0] + 3 * static_cast<std::size_t>(first),
                      *const v = atom->v[0] + 3 * static_cast<std::size_t>(first);
  const double *const rate = domain->h_rate, *const rate_lo = domain->h_ratelo;
  const double *const h_inv = domain->h_inv, *const lo = domain->boxlo;
  for (int i = 0; i < 3 * (last - first); i += 3) {
    const double d[3] = {x[i] - lo[0], x[i + 1] - lo[1], x[i + 2] - lo[2]};
    const double at[3] = {h_inv[0] * d[0] + h_inv[5] * d[1] + h_inv[4] * d[2],
                          h_inv[1] * d[1] + h_inv[3] * d[2], h_inv[2] * d[2]};
    to[i] = v[i] - (rate[0] * at[0] + rate[5] * at[1] + rate[4] * at[2] + rate_lo[0]);
    to[i + 1] = v[i + 1] - (rate[1] * at[1] + rate[3] * at[2] + rate_lo[1]);
    to[i + 2] = v[i + 2] - (rate[2] * at[2] + rate_lo[2]);
  }
}
