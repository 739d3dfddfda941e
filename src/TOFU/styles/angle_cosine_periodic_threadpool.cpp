// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "angle_cosine_periodic_threadpool.h"

#include "atom.h"

#include "kernels/bonded/angles.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void AngleCosinePeriodicThreadpool::compute_on_pool()
{
  const auto coefficients = fill_coefficients(atom->nangletypes, [&](int type, double *to) {
    to[0] = (multiplicity[type] % 2 ? -2.0 : 2.0) * k[type] * b[type];
    to[1] = multiplicity[type];
    to[2] = 2.0 * k[type];
  });
  compute_list([&](const BondedJob &job, PairTally &tally) {
    angle_of_form(AngleForm::PERIODIC, {}, coefficients, job, tally);
  });
}
