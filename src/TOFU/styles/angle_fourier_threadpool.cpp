// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "angle_fourier_threadpool.h"

#include "atom.h"

#include "kernels/bonded/angles.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void AngleFourierThreadpool::compute_on_pool()
{
  const auto coefficients = fill_coefficients(atom->nangletypes, [&](int type, double *to) {
    to[0] = k[type] * (C0[type] - C2[type]);
    to[1] = k[type] * C1[type];
    to[2] = 2.0 * k[type] * C2[type];
  });
  compute_list([&](const BondedJob &job, PairTally &tally) {
    angle_of_form(AngleForm::COSINE, {}, coefficients, job, tally);
  });
}
