// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "angle_charmm_threadpool.h"

#include "atom.h"

#include "kernels/bonded/angles.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void AngleCharmmThreadpool::compute_on_pool()
{
  const BondedCoefficients coefficients =
      fill_coefficients(atom->nangletypes, [&](int type, double *to) {
        to[0] = k[type];
        to[1] = theta0[type];
        to[2] = k_ub[type];
        to[3] = r_ub[type];
      });
  compute_list(
      [&](const BondedJob &job, PairTally &tally) { angle_charmm(coefficients, job, tally); });
}
