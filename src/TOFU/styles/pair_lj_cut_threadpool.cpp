// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_lj_cut_threadpool.h"

#include "atom.h"

#include "kernels/pair/lj_cut.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void PairLJCutThreadpool::compute(int eflag, int vflag)
{
  ev_init(eflag, vflag);
  fill_coefficients(LJCutCoefficients::NCOEFFICIENTS, [&](int i, int j, double *to) {
    to[0] = cutsq[i][j];
    to[1] = lj1[i][j];
    to[2] = lj2[i][j];
    to[4] = lj3[i][j];
    to[5] = lj4[i][j];
    to[6] = offset[i][j];
  });
  const LJCutCoefficients lj{atom->ntypes, coefficients()};
  on_pool.gather(list, nullptr, atom->ntypes > 1);
  compute_rows([&](const PairJob &job, int first, int last, PairTally &tally) {
    lj_cut(lj, job, first, last, tally);
  });
}
