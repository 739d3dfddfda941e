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

#include "angle_harmonic_threadpool.h"

#include "atom.h"

#include "kernels/bonded/angles.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void AngleHarmonicThreadpool::compute_on_pool()
{
  const BondedCoefficients coefficients =
      fill_coefficients(atom->nangletypes, [&](int type, double *to) {
        to[0] = k[type];
        to[1] = theta0[type];
      });
  compute_list(
      [&](const BondedJob &job, PairTally &tally) { angle_harmonic(coefficients, job, tally); });
}
