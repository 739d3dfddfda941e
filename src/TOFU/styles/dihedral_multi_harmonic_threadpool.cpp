/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

/* ----------------------------------------------------------------------
   Contributing authors: the TOFU developers
------------------------------------------------------------------------- */

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
