// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "dihedral_fourier_threadpool.h"

#include "atom.h"

#include "kernels/bonded/dihedrals.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void DihedralFourierThreadpool::compute_on_pool()
{
  const int ntypes = atom->ndihedraltypes;
  const auto coefficients = no_coefficients(ntypes);
  int most = 0;
  for (int type = 1; type <= ntypes; type++)
    if (setflag[type]) most = std::max(most, nterms[type]);
  const double *const terms = fill_table(ntypes, 4 * most, [&](int type, double *to) {
    for (int term = 0; term < nterms[type]; term++, to += 4) {
      to[0] = k[type][term];
      to[1] = multiplicity[type][term];
      to[2] = cos_shift[type][term];
      to[3] = sin_shift[type][term];
    }
  });
  const DihedralFormTables tables{terms, most, nullptr};
  compute_list([&](const BondedJob &job, PairTally &tally) {
    dihedral_of_form(DihedralForm::SERIES, tables, coefficients, job, tally);
  });
  for_remarkable([&](const int *atoms) { problem(FLERR, atoms[0], atoms[1], atoms[2], atoms[3]); });
}
