// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "bond_fene_threadpool.h"
#include "bond_harmonic_threadpool.h"

#include "atom.h"
#include "error.h"
#include "update.h"

#include "kernels/bonded/bonds.h"

#include <cmath>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void BondFENEThreadpool::compute_on_pool()
{
  const BondedCoefficients coefficients =
      fill_coefficients(atom->nbondtypes, [&](int type, double *to) {
        to[0] = k[type];
        to[1] = r0[type] * r0[type];
        to[2] = epsilon[type];
        to[3] = sigma[type] * sigma[type];
      });
  compute_list(
      [&](const BondedJob &job, PairTally &tally) { bond_fene(coefficients, job, tally); });
  for_remarkable([&](const int *atoms) { warn(atoms[0], atoms[1], atoms[2]); });
}

/* ----------------------------------------------------------------------
   the kernel has stopped the growth of the force before the bond is r0 long; twice
   that long it is an error
------------------------------------------------------------------------- */

void BondFENEThreadpool::warn(int i, int j, int type)
{
  const double *xi = atom->x[i], *xj = atom->x[j];
  double rsq = 0.0;
  for (int dim = 0; dim < 3; dim++) rsq += (xi[dim] - xj[dim]) * (xi[dim] - xj[dim]);
  error->warning(FLERR, "FENE bond too long: {} {} {} {}", update->ntimestep, atom->tag[i],
                 atom->tag[j], std::sqrt(rsq));
  if (rsq >= 4.0 * r0[type] * r0[type]) error->one(FLERR, "Bad FENE bond");
}
