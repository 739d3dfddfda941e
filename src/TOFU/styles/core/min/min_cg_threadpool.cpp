// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "min_cg_threadpool.h"

#include "kernels/motion/flat_vectors.h"

#include "update.h"

#include <algorithm>
#include <array>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ----------------------------------------------------------------------
   directions start anew after as many iterations as there are degrees of freedom
------------------------------------------------------------------------- */

int MinCGThreadpool::iterate(int maxiter)
{
  const int anew_after = static_cast<int>(std::min<bigint>(MAXSMALLINT, ndoftotal));
  start();
  double ff_before = fnorm_sqr();
  for (int k = 0; k < maxiter; k++) {
    if (!begin_iteration()) return TIMEOUT;
    const int fail = search_line();
    if (fail) return fail;
    if (neval >= update->max_eval) return MAXEVAL;
    if (energy_stays()) return ETOL;

    const auto [ff, fg] = products();
    if (normstyle == TWO ? ff < update->ftol * update->ftol : forces_are_small()) return FTOL;

    const double beta = (niter + 1) % anew_after ? std::max(0.0, (ff - fg) / ff_before) : 0.0;
    ff_before = ff;
    next_direction(beta);
    write_output();
  }
  return MAXITER;
}

/* ---------------------------------------------------------------------- */

void MinCGThreadpool::start()
{
  reset_direction();
  for_vectors([](const MinVectors &all, int n) { std::copy_n(all.f, n, all.g); });
  gextra = hextra;
}

/* ---------------------------------------------------------------------- */

MinCGThreadpool::Products MinCGThreadpool::products()
{
  const auto of_atoms = sum_over_vectors<2>([](const MinVectors &all, int n) {
    return std::array<double, 2>{dot_product(all.f, all.f, n), dot_product(all.f, all.g, n)};
  });
  Products sums{of_atoms[0], of_atoms[1]};
  for (int k = 0; k < nextra_global; k++) {
    sums.ff += fextra[k] * fextra[k];
    sums.fg += fextra[k] * gextra[k];
  }
  return sums;
}

/* ----------------------------------------------------------------------
   the next direction; that of the forces if energies would not decrease along it
------------------------------------------------------------------------- */

void MinCGThreadpool::next_direction(double beta)
{
  double slope = sum_over_vectors<1>([beta](const MinVectors &all, int n) {
    std::copy_n(all.f, n, all.g);
    combine_vectors(1.0, all.f, beta, all.h, all.h, n);
    return std::array<double, 1>{dot_product(all.f, all.h, n)};
  })[0];
  for (int k = 0; k < nextra_global; k++) {
    gextra[k] = fextra[k];
    hextra[k] = gextra[k] + beta * hextra[k];
    slope += gextra[k] * hextra[k];
  }
  if (slope <= 0.0) reset_direction();
}
