// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_buck_threadpool.h"

#include "atom.h"

#include "kernels/pair/exponential.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void PairBuckThreadpool::compute(int eflag, int vflag)
{
  ev_init(eflag, vflag);
  fill_coefficients(ExponentialCoefficients::NCOEFFICIENTS, [&](int i, int j, double *to) {
    to[0] = cutsq[i][j];
    to[1] = buck1[i][j];
    to[2] = buck2[i][j];
    to[3] = rhoinv[i][j];
    to[4] = a[i][j];
    to[5] = c[i][j];
    to[6] = offset[i][j];
  });
  const ExponentialCoefficients all{atom->ntypes, coefficients()};
  on_pool.gather(list, nullptr, atom->ntypes > 1);
  compute_rows([&](const PairJob &job, int first, int last, PairTally &tally) {
    buckingham(all, job, first, last, tally);
  });
}
