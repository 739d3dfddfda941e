// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "compute_temp_com_threadpool.h"

#include "atom.h"

#include <algorithm>
#include <cstddef>

using namespace LAMMPS_NS;

/* ----------------------------------------------------------------------
   without a bias, thermal velocities are those of atoms
------------------------------------------------------------------------- */

void ComputeTempCOMThreadpool::set_bias()
{
  double momentum[4];
  std::fill_n(vbias, 3, 0.0);
  sums.momentum(groupbit, momentum);
  if (momentum[3] > 0.0)
    for (int k = 0; k < 3; k++) vbias[k] = momentum[k] / momentum[3];
}

/* ---------------------------------------------------------------------- */

void ComputeTempCOMThreadpool::thermal_velocities(int first, int last, double *to) const
{
  const double *const v = atom->v[0] + 3 * static_cast<std::size_t>(first);
  for (int i = 0; i < last - first; i++)
    for (int k = 0; k < 3; k++) to[3 * i + k] = v[3 * i + k] - vbias[k];
}
