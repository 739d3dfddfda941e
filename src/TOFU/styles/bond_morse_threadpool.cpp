// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "bond_morse_threadpool.h"

#include "atom.h"

#include "kernels/bonded/bonds.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void BondMorseThreadpool::compute_on_pool()
{
  const auto coefficients = fill_coefficients(atom->nbondtypes, [&](int type, double *to) {
    to[0] = d0[type];
    to[1] = alpha[type];
    to[2] = r0[type];
  });
  compute_list([&](const BondedJob &job, PairTally &tally) {
    bond_of_length(BondForm::MORSE, nullptr, coefficients, job, tally);
  });
}
