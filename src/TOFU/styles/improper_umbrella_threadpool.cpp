// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "improper_umbrella_threadpool.h"

#include "atom.h"

#include "kernels/bonded/dihedrals.h"

#include <cmath>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void ImproperUmbrellaThreadpool::compute_on_pool()
{
  const auto coefficients = fill_coefficients(atom->nimpropertypes, [&](int type, double *to) {
    if (w0[type] == 0.0) {
      to[0] = kw[type];
      to[1] = -kw[type];
    } else {
      to[2] = 0.5 * C[type];
      to[3] = std::cos(w0[type]);
    }
  });
  compute_list([&](const BondedJob &job, PairTally &tally) {
    improper_umbrella(nullptr, coefficients, job, tally);
  });
  for_remarkable([&](const int *atoms) { problem(FLERR, atoms[0], atoms[1], atoms[2], atoms[3]); });
}
