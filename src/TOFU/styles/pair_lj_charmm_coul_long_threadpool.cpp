// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "pair_lj_charmm_coul_long_threadpool.h"

#include "atom.h"
#include "force.h"

#include "kernels/pair/lj_coul.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void PairLJCharmmCoulLongThreadpool::compute(int eflag, int vflag)
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
  const Switching switching{cut_lj_innersq, cut_ljsq, denom_lj_inv};
  const LongRange &coul = table.fill(this, g_ewald, cut_coulsq);
  gather_atoms(atom->q, atom->ntypes > 1);
  ClusterPotential in_clusters;
  in_clusters.lj = lj;
  in_clusters.switched = true;
  in_clusters.switching = switching;
  compute_pairs(in_clusters, coul, [&](const PairJob &job, int first, int last, PairTally &tally) {
    lj_charmm_coul_long(lj, switching, coul, job, first, last, tally);
  });
}
