// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "improper_cvff_threadpool.h"

#include "atom.h"

#include "kernels/bonded/dihedrals.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

// factor cos(n phi) by powers of cos(phi): Chebyshev polynomials

static void add_cosine(int n, double factor, double *to)
{
  double before[9] = {0.0, 0.0, 1.0}, now[9] = {0.0, 1.0};    // power p is in place p + 1
  for (int m = 0; m < n; m++)
    for (int p = 8; p > 0; p--) {
      const double next = 2.0 * now[p - 1] - before[p];
      before[p] = now[p];
      now[p] = next;
    }
  for (int p = 0; p < 8; p++) to[p] += factor * now[p + 1];
}

/* ---------------------------------------------------------------------- */

void ImproperCvffThreadpool::compute_on_pool()
{
  constexpr int N = 8;    // the multiplicity is at most 6
  const auto coefficients = no_coefficients(atom->nimpropertypes);
  const double *const powers = fill_table(atom->nimpropertypes, N, [&](int type, double *to) {
    add_cosine(multiplicity[type], sign[type] == -1 ? -k[type] : k[type], to);
    to[0] += k[type];
  });
  compute_list([&](const BondedJob &job, PairTally &tally) {
    dihedral_powers({powers, N}, coefficients, job, tally);
  });
  for_remarkable([&](const int *atoms) { problem(FLERR, atoms[0], atoms[1], atoms[2], atoms[3]); });
}
