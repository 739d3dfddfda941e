// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "angle_cosine_squared_threadpool.h"

#include "atom.h"

#include "kernels/bonded/angles.h"

#include <cmath>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void AngleCosineSquaredThreadpool::compute_on_pool()
{
  const auto coefficients = fill_coefficients(atom->nangletypes, [&](int type, double *to) {
    to[2] = k[type];
    to[3] = std::cos(theta0[type]);
  });
  compute_list([&](const BondedJob &job, PairTally &tally) {
    angle_of_form(AngleForm::COSINE, {}, coefficients, job, tally);
  });
}
