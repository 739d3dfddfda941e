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
