// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_lj_cut_coul_cut_threadpool.h"

#include "atom.h"
#include "force.h"

#include "kernels/pair/lj_coul.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void PairLJCutCoulCutThreadpool::compute(int eflag, int vflag)
{
  ev_init(eflag, vflag);
  fill_coefficients(LJCoulCoefficients::NCOEFFICIENTS, [&](int i, int j, double *to) {
    to[0] = cutsq[i][j];
    to[1] = lj1[i][j];
    to[2] = lj2[i][j];
    to[3] = cut_ljsq[i][j];
    to[4] = cut_coulsq[i][j];
    to[5] = lj3[i][j];
    to[6] = lj4[i][j];
    to[7] = offset[i][j];
  });
  const LJCoulCoefficients lj{atom->ntypes, coefficients(), force->qqrd2e, largest_cutsq};
  on_pool.gather(list, atom->q, atom->ntypes > 1);
  compute_rows([&](const PairJob &job, int first, int last, PairTally &tally) {
    lj_cut_coul_cut(lj, job, first, last, tally);
  });
}
