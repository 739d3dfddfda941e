// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "improper_class2_threadpool.h"

#include "atom.h"

#include "kernels/bonded/dihedrals.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void ImproperClass2Threadpool::compute_on_pool()
{
  const auto coefficients = fill_coefficients(atom->nimpropertypes, [&](int type, double *to) {
    to[0] = k0[type];
    to[1] = chi0[type];
    to[2] = aa_k1[type];
    to[3] = aa_k2[type];
  });
  const double *const others = fill_table(atom->nimpropertypes, 4, [&](int type, double *to) {
    to[0] = aa_k3[type];
    to[1] = aa_theta0_1[type];
    to[2] = aa_theta0_2[type];
    to[3] = aa_theta0_3[type];
  });
  compute_list([&](const BondedJob &job, PairTally &tally) {
    improper_class2(others, coefficients, job, tally);
  });
  for_remarkable([&](const int *atoms) { problem(FLERR, atoms[0], atoms[1], atoms[2], atoms[3]); });
}
