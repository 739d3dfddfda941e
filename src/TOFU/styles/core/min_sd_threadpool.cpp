// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "min_sd_threadpool.h"

#include "update.h"

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

int MinSDThreadpool::iterate(int maxiter)
{
  for (int k = 0; k < maxiter; k++) {
    reset_direction();
    if (!begin_iteration()) return TIMEOUT;
    const int fail = search_line();
    if (fail) return fail;
    if (neval >= update->max_eval) return MAXEVAL;
    if (energy_stays()) return ETOL;
    if (forces_are_small()) return FTOL;
    write_output();
  }
  return MAXITER;
}
