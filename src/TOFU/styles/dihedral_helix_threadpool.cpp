// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "dihedral_helix_threadpool.h"

#include "atom.h"

#include "kernels/bonded/dihedrals.h"

#include <algorithm>
#include <cmath>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void DihedralHelixThreadpool::compute_on_pool()
{
  const int ntypes = atom->ndihedraltypes;
  const auto coefficients = no_coefficients(ntypes);

  // a (1 - cos(phi)) + b (1 + cos(3 phi)) + c (1 + cos(phi + pi/4))

  constexpr int NTERMS = 3;
  const double *const terms = fill_table(ntypes, 4 * NTERMS, [&](int type, double *to) {
    const double all[4 * NTERMS] = {
        aphi[type], 1.0, -1.0,       0.0, bphi[type],     3.0,
        1.0,        0.0, cphi[type], 1.0, std::sqrt(0.5), -std::sqrt(0.5)};
    std::copy_n(all, 4 * NTERMS, to);
  });
  const DihedralFormTables tables{terms, NTERMS, nullptr};
  compute_list([&](const BondedJob &job, PairTally &tally) {
    dihedral_of_form(DihedralForm::SERIES, tables, coefficients, job, tally);
  });
  for_remarkable([&](const int *atoms) { problem(FLERR, atoms[0], atoms[1], atoms[2], atoms[3]); });
}
