// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_lj_charmm_coul_charmm_threadpool.h"

#include "atom.h"
#include "force.h"

#include "kernels/pair/lj_coul.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void PairLJCharmmCoulCharmmThreadpool::compute(int eflag, int vflag)
{
  ev_init(eflag, vflag);
  fill_coefficients(LJCoulCoefficients::NCOEFFICIENTS, [&](int i, int j, double *to) {
    to[0] = cut_bothsq;
    to[1] = lj1[i][j];
    to[2] = lj2[i][j];
    to[5] = lj3[i][j];
    to[6] = lj4[i][j];
  });
  const LJCoulCoefficients lj{atom->ntypes, coefficients(), force->qqrd2e, largest_cutsq};
  const Switching switching{cut_lj_innersq, cut_ljsq, 1.0 / denom_lj};
  const Switching coul{cut_coul_innersq, cut_coulsq, 1.0 / denom_coul};
  on_pool.gather(list, atom->q, atom->ntypes > 1);
  compute_rows([&](const PairJob &job, int first, int last, PairTally &tally) {
    lj_charmm_coul_charmm(lj, switching, coul, job, first, last, tally);
  });
}
