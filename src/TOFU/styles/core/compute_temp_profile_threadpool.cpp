// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "compute_temp_profile_threadpool.h"

#include "atom.h"

#include <cstddef>

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

ComputeTempProfileThreadpool::ComputeTempProfileThreadpool(LAMMPS *lmp, int narg, char **arg) :
    ThermalTemperature(lmp, narg, arg), profile(lmp, narg, arg)
{
}

/* ----------------------------------------------------------------------
   only atoms of the group have bins
------------------------------------------------------------------------- */

void ComputeTempProfileThreadpool::thermal_velocities(int first, int last, double *to) const
{
  const double *const v = atom->v[0];
  const int *const mask = atom->mask;
  for (int i = first; i < last; i++) {
    if (!(mask[i] & groupbit)) continue;
    const double *const stream = profile.of_atom(i);
    for (int k = 0; k < 3; k++)
      to[3 * (i - first) + k] = v[3 * static_cast<std::size_t>(i) + k] - stream[k];
  }
}

/* ----------------------------------------------------------------------
   before there is a pool, the bins are those of compute temp/profile
------------------------------------------------------------------------- */

void ComputeTempProfileThreadpool::remove_bias(int i, double *v)
{
  if (!profile.is_known()) {
    ComputeTempProfile::remove_bias(i, v);
    return;
  }
  const double *const stream = profile.of_atom(i);
  for (int k = 0; k < 3; k++) v[k] -= stream[k];
}

/* ---------------------------------------------------------------------- */

void ComputeTempProfileThreadpool::restore_bias(int i, double *v)
{
  if (!profile.is_known()) {
    ComputeTempProfile::restore_bias(i, v);
    return;
  }
  const double *const stream = profile.of_atom(i);
  for (int k = 0; k < 3; k++) v[k] += stream[k];
}

/* ---------------------------------------------------------------------- */

void ComputeTempProfileThreadpool::remove_bias_thr(int i, double *v, double *)
{
  ComputeTempProfileThreadpool::remove_bias(i, v);
}

/* ---------------------------------------------------------------------- */

void ComputeTempProfileThreadpool::restore_bias_thr(int i, double *v, double *)
{
  ComputeTempProfileThreadpool::restore_bias(i, v);
}

/* ---------------------------------------------------------------------- */

void ComputeTempProfileThreadpool::remove_bias_all()
{
  for (int i = 0; i < atom->nlocal; i++)
    if (atom->mask[i] & groupbit) ComputeTempProfileThreadpool::remove_bias(i, atom->v[i]);
}

/* ---------------------------------------------------------------------- */

void ComputeTempProfileThreadpool::restore_bias_all()
{
  for (int i = 0; i < atom->nlocal; i++)
    if (atom->mask[i] & groupbit) ComputeTempProfileThreadpool::restore_bias(i, atom->v[i]);
}

/* ---------------------------------------------------------------------- */

double ComputeTempProfileThreadpool::memory_usage()
{
  return ComputeTempProfile::memory_usage() + profile.memory_usage();
}
