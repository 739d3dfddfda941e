// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "angle_class2_threadpool.h"

#include "atom.h"

#include "kernels/bonded/angles.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void AngleClass2Threadpool::compute_on_pool()
{
  const auto coefficients = fill_coefficients(atom->nangletypes, [&](int type, double *to) {
    to[0] = k2[type];
    to[1] = k3[type];
    to[2] = k4[type];
    to[3] = theta0[type];
  });

  constexpr int N = AngleFormTables::NCROSS;
  const double *const cross = fill_table(atom->nangletypes, N, [&](int type, double *to) {
    to[0] = bb_k[type];
    to[1] = bb_r1[type];
    to[2] = bb_r2[type];
    to[4] = ba_k1[type];
    to[5] = ba_k2[type];
    to[6] = ba_r1[type];
    to[7] = ba_r2[type];
  });
  const AngleFormTables tables{cross, nullptr};
  compute_list([&](const BondedJob &job, PairTally &tally) {
    angle_of_form(AngleForm::CLASS2, tables, coefficients, job, tally);
  });
}
