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

#include "angle_cosine_squared_threadpool.h"

#include "atom.h"

#include "kernels/bonded/angles.h"

#include <cmath>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void AngleCosineSquaredThreadpool::compute_on_pool()
{
  const auto coefficients = fill_coefficients(atom->nangletypes, [&](int type, double *to) {
    to[2] = k[type];
    to[3] = std::cos(theta0[type]);
  });
  compute_list([&](const BondedJob &job, PairTally &tally) {
    angle_of_form(AngleForm::COSINE, {}, coefficients, job, tally);
  });
}
