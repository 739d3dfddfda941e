// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "compute_temp_partial_threadpool.h"

#include "atom.h"

#include <cstddef>

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

void ComputeTempPartialThreadpool::thermal_velocities(int first, int last, double *to) const
{
  const double *const v = atom->v[0] + 3 * static_cast<std::size_t>(first);
  const int counts[3] = {xflag, yflag, zflag};
  for (int i = 0; i < last - first; i++)
    for (int k = 0; k < 3; k++) to[3 * i + k] = counts[k] ? v[3 * i + k] : 0.0;
}
