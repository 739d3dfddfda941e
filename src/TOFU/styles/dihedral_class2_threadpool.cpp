// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "dihedral_class2_threadpool.h"

#include "atom.h"

#include "kernels/bonded/dihedrals.h"

#include <algorithm>
#include <cmath>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void DihedralClass2Threadpool::compute_on_pool()
{
  using All = Class2Dihedrals;
  const auto coefficients = no_coefficients(atom->ndihedraltypes);
  const double *const all =
      fill_table(atom->ndihedraltypes, All::N, [&](int type, double *to) { fill(type, to); });
  compute_list([&](const BondedJob &job, PairTally &tally) {
    dihedral_class2({all}, coefficients, job, tally);
  });
  for_remarkable([&](const int *atoms) { problem(FLERR, atoms[0], atoms[1], atoms[2], atoms[3]); });
}

/* ----------------------------------------------------------------------
   in the order of Class2Dihedrals
------------------------------------------------------------------------- */

void DihedralClass2Threadpool::fill(int i, double *to) const
{
  const double small = 0.0000001;    // as in LAMMPS: less is no product of bonds
  const double all[Class2Dihedrals::N] = {k1[i] * std::cos(phi1[i]),
                                          k2[i] * std::cos(phi2[i]),
                                          k3[i] * std::cos(phi3[i]),
                                          k1[i] * std::sin(phi1[i]),
                                          k2[i] * std::sin(phi2[i]),
                                          k3[i] * std::sin(phi3[i]),
                                          k1[i] + k2[i] + k3[i],
                                          0.0,
                                          mbt_f1[i],
                                          mbt_f2[i],
                                          mbt_f3[i],
                                          mbt_r0[i],
                                          ebt_f1_1[i],
                                          ebt_f2_1[i],
                                          ebt_f3_1[i],
                                          ebt_r0_1[i],
                                          ebt_f1_2[i],
                                          ebt_f2_2[i],
                                          ebt_f3_2[i],
                                          ebt_r0_2[i],
                                          at_f1_1[i],
                                          at_f2_1[i],
                                          at_f3_1[i],
                                          at_theta0_1[i],
                                          at_f1_2[i],
                                          at_f2_2[i],
                                          at_f3_2[i],
                                          at_theta0_2[i],
                                          aat_k[i],
                                          aat_theta0_1[i],
                                          aat_theta0_2[i],
                                          0.0,
                                          std::fabs(bb13t_k[i]) > small ? bb13t_k[i] : 0.0,
                                          bb13t_r10[i],
                                          bb13t_r30[i],
                                          0.0};
  std::copy_n(all, Class2Dihedrals::N, to);
}
