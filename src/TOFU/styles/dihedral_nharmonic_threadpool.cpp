// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "dihedral_nharmonic_threadpool.h"

#include "atom.h"

#include "kernels/bonded/dihedrals.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void DihedralNHarmonicThreadpool::compute_on_pool()
{
  const int ntypes = atom->ndihedraltypes;
  const auto coefficients = no_coefficients(ntypes);
  int most = 1;
  for (int type = 1; type <= ntypes; type++)
    if (setflag[type]) most = std::max(most, nterms[type]);
  const int n = (most + 3) / 4 * 4;
  const double *const powers =
      fill_table(ntypes, n, [&](int type, double *to) { std::copy_n(a[type], nterms[type], to); });
  compute_list([&](const BondedJob &job, PairTally &tally) {
    dihedral_powers({powers, n}, coefficients, job, tally);
  });
  for_remarkable([&](const int *atoms) { problem(FLERR, atoms[0], atoms[1], atoms[2], atoms[3]); });
}
