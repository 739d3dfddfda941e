/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

/* ----------------------------------------------------------------------
   Contributing authors: the TOFU developers
------------------------------------------------------------------------- */

#include "dihedral_charmm_threadpool.h"
#include "bond_harmonic_threadpool.h"

#include "atom.h"
#include "compute.h"
#include "force.h"
#include "modify.h"
#include "neighbor.h"
#include "pair.h"

#include "kernels/bonds.h"
#include "kernels/dihedrals.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

DihedralCharmmThreadpool::DihedralCharmmThreadpool(LAMMPS *lmp) :
    BondedStyle(lmp), pairs_on_pool(lmp, 2)
{
}

/* ---------------------------------------------------------------------- */

void DihedralCharmmThreadpool::init_style()
{
  BondedStyle::init_style();
  pairs_on_pool.init();
  pair_weights.clear();
  pairs_are_tallied = false;
  for (const Compute *compute : modify->get_compute_list())
    if (utils::strmatch(compute->style, "/tally$")) pairs_are_tallied = true;
}

/* ---------------------------------------------------------------------- */

void DihedralCharmmThreadpool::compute(int eflag, int vflag)
{
  if (weightflag && pairs_are_tallied)
    DihedralCharmm::compute(eflag, vflag);
  else
    BondedStyle::compute(eflag, vflag);
}

/* ---------------------------------------------------------------------- */

void DihedralCharmmThreadpool::compute_on_pool()
{
  const BondedCoefficients coefficients =
      fill_coefficients(atom->ndihedraltypes, [&](int type, double *to) {
        to[0] = k[type];
        to[1] = multiplicity[type];
        to[2] = cos_shift[type];
        to[3] = sin_shift[type];
      });
  compute_list(
      [&](const BondedJob &job, PairTally &tally) { dihedral_cosine(coefficients, job, tally); });
  for_remarkable([&](const int *atoms) { problem(FLERR, atoms[0], atoms[1], atoms[2], atoms[3]); });

  if (!weightflag) return;
  collect_pairs();
  compute_pairs();
}

/* ---------------------------------------------------------------------- */

void DihedralCharmmThreadpool::collect_pairs()
{
  const std::vector<double> now(weight, weight + atom->ndihedraltypes + 1);
  if (!dealt_anew && std::equal(now.begin() + 1, now.end(), pair_weights.begin() + 1)) return;
  pair_weights = now;
  pairs.clear();
  for (int n = 0; n < neighbor->ndihedrallist; n++) {
    const int *const one = neighbor->dihedrallist[n];
    if (weight[one[4]] > 0.0) pairs.insert(pairs.end(), {one[0], one[3], one[4]});
  }
  pairs_on_pool.forget();
}

/* ----------------------------------------------------------------------
   energy and virial are those of the pair style, but newton is that of bonds.
   A virial that the pair style takes from the sum of all forces has been computed
   before these are there
------------------------------------------------------------------------- */

void DihedralCharmmThreadpool::compute_pairs()
{
  Pair *const pair = force->pair;
  if (vflag_global == VIRIAL_FDOTR) pair->vflag_either = pair->vflag_global = 1;

  const BondedCoefficients coefficients =
      fill_coefficients(atom->ndihedraltypes, [&](int type, double *to) { to[0] = weight[type]; });
  const OneFourTables tables{atom->q, atom->type, lj14_1,        lj14_2,
                             lj14_3,  lj14_4,     force->qqrd2e, implicit != 0};
  BondedOnPool::Wanted wanted;
  if (evflag) {
    wanted.tallies = pair->eflag_either || pair->vflag_either;
    if (pair->eflag_either && pair->eflag_atom) wanted.eatom = pair->eatom;
    if (pair->vflag_either && pair->vflag_atom) wanted.vatom = pair->vatom;
  }

  pairs_on_pool.deal({pairs.data(), static_cast<int>(pairs.size() / 3)});
  const PairTally sum = pairs_on_pool.compute(wanted, [&](const BondedJob &job, PairTally &tally) {
    one_four_pairs(tables, coefficients, job, tally);
  });
  if (!evflag) return;
  if (pair->eflag_either && pair->eflag_global) {
    pair->eng_vdwl += sum.evdwl;
    pair->eng_coul += sum.ecoul;
  }
  if (pair->vflag_either && pair->vflag_global)
    for (int i = 0; i < 6; i++) pair->virial[i] += sum.virial[i];
}

/* ---------------------------------------------------------------------- */

double DihedralCharmmThreadpool::memory_usage()
{
  return BondedStyle::memory_usage() + pairs_on_pool.memory_usage() +
      static_cast<double>(pairs.capacity() * sizeof(int));
}
