// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "bond_quartic_threadpool.h"

#include "kernels/bonded/bonds.h"
#include "kernels/bonded/pairs_one_by_one.h"

#include "atom.h"
#include "force.h"
#include "neighbor.h"
#include "pair.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

BondQuarticThreadpool::BondQuarticThreadpool(LAMMPS *lmp) : BondedStyle(lmp), tallies(lmp) {}

/* ---------------------------------------------------------------------- */

void BondQuarticThreadpool::init_style()
{
  BondedStyle::init_style();
  tallies.init();
}

/* ----------------------------------------------------------------------
   single() of some pair styles changes members
------------------------------------------------------------------------- */

std::string BondQuarticThreadpool::left_to_lammps() const
{
  if (tallies.are_listened_to()) return "a compute tallies pairs";
  if (force->pair->single_extra || force->pair->manybody_flag)
    return "the pair style computes single pairs on one thread";
  return "";
}

/* ---------------------------------------------------------------------- */

void BondQuarticThreadpool::compute(int eflag, int vflag)
{
  if (left_to_lammps().empty())
    BondedStyle::compute(eflag, vflag);
  else
    BondQuartic::compute(eflag, vflag);
}

/* ---------------------------------------------------------------------- */

BondQuarticThreadpool::Row BondQuarticThreadpool::row(int type) const
{
  return {k[type], b1[type], b2[type], rc[type]};
}

/* ---------------------------------------------------------------------- */

void BondQuarticThreadpool::fill_tables()
{
  energy_of_type = fill_table(1, [this](int type, double *to) { *to = u0[type]; });
}

/* ---------------------------------------------------------------------- */

void BondQuarticThreadpool::kernel(const Coefficients &all, const BondedJob &job, PairTally &tally)
{
  bond_of_length(BondForm::QUARTIC, {energy_of_type, nullptr}, all, job, tally);
}

/* ----------------------------------------------------------------------
   break a bond: it has type 0 in the list, and with each owned atom that stores
   it.  The rank of the other atom does the same
------------------------------------------------------------------------- */

void BondQuarticThreadpool::warn(const int *bond)
{
  neighbor->bondlist[(bond - neighbor->bondlist[0]) / 3][2] = 0;
  for (int a = 0; a < 2; a++) {
    const int i = bond[a], other = bond[1 - a];
    if (i >= atom->nlocal) continue;
    for (int m = 0; m < atom->num_bond[i]; m++)
      if (atom->bond_atom[i][m] == atom->tag[other]) atom->bond_type[i][m] = 0;
  }
}

/* ---------------------------------------------------------------------- */

void BondQuarticThreadpool::compute_on_pool()
{
  BondedStyle::compute_on_pool();
  take_off_pairs();
}

/* ----------------------------------------------------------------------
   of bonds that are whole
------------------------------------------------------------------------- */

void BondQuarticThreadpool::take_off_pairs()
{
  Pair *const pair = force->pair;
  const int *const type = atom->type;
  const auto opposite = [&](int i, int j, int bond_type, double rsq, double &fpair, double &evdwl) {
    const int itype = type[i], jtype = type[j];
    if (bond_type <= 0 || rsq >= pair->cutsq[itype][jtype]) return false;
    evdwl = -pair->single(i, j, itype, jtype, rsq, 1.0, 1.0, fpair);
    fpair = -fpair;
    return true;
  };
  const PairTally sum = on_pool.compute(
      tallies.wanted(evflag, vflag_global),
      [&](const BondedJob &job, PairTally &tally) { compute_pairs(job, tally, opposite); });
  tallies.add(evflag, sum);
}
