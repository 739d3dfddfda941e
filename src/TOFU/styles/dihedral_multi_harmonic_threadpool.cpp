// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "dihedral_multi_harmonic_threadpool.h"

#include "atom.h"

#include "kernels/bonded/dihedrals.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void DihedralMultiHarmonicThreadpool::compute_on_pool()
{
  constexpr int N = 8;
  const auto coefficients = no_coefficients(atom->ndihedraltypes);
  const double *const powers = fill_table(atom->ndihedraltypes, N, [&](int type, double *to) {
    to[0] = a1[type];
    to[1] = a2[type];
    to[2] = a3[type];
    to[3] = a4[type];
    to[4] = a5[type];
  });
  compute_list([&](const BondedJob &job, PairTally &tally) {
    dihedral_powers({powers, N}, coefficients, job, tally);
  });
  for_remarkable([&](const int *atoms) { problem(FLERR, atoms[0], atoms[1], atoms[2], atoms[3]); });
}
