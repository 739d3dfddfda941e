// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "dihedral_harmonic_threadpool.h"

#include "atom.h"

#include "kernels/bonded/dihedrals.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void DihedralHarmonicThreadpool::compute_on_pool()
{
  const BondedCoefficients coefficients =
      fill_coefficients(atom->ndihedraltypes, [&](int type, double *to) {
        to[0] = k[type];
        to[1] = multiplicity[type];
        to[2] = cos_shift[type];
        to[3] = sin_shift[type];
      });
  compute_list(
      [&](const BondedJob &job, PairTally &tally) { dihedral_cosine(coefficients, job, tally); });
  for_remarkable([&](const int *atoms) { problem(FLERR, atoms[0], atoms[1], atoms[2], atoms[3]); });
}
