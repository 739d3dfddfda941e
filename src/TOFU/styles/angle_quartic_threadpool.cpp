// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "angle_quartic_threadpool.h"

#include "atom.h"

#include "kernels/bonded/angles.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void AngleQuarticThreadpool::compute_on_pool()
{
  const auto coefficients = fill_coefficients(atom->nangletypes, [&](int type, double *to) {
    to[0] = k2[type];
    to[1] = k3[type];
    to[2] = k4[type];
    to[3] = theta0[type];
  });
  compute_list([&](const BondedJob &job, PairTally &tally) {
    angle_of_form(AngleForm::POLYNOMIAL, {}, coefficients, job, tally);
  });
}
