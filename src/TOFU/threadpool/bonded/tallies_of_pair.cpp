// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "tallies_of_pair.h"

#include "compute.h"
#include "force.h"
#include "modify.h"
#include "pair.h"
#include "utils.h"

using namespace LAMMPS_NS;

/* ---------------------------------------------------------------------- */

void TalliesOfPair::init()
{
  listened_to = false;
  for (const Compute *compute : modify->get_compute_list())
    if (utils::strmatch(compute->style, "/tally$")) listened_to = true;
}

/* ---------------------------------------------------------------------- */

BondedOnPool::Wanted TalliesOfPair::wanted(int evflag, int vflag_global)
{
  Pair *const pair = force->pair;
  if (vflag_global == VIRIAL_FDOTR) pair->vflag_either = pair->vflag_global = 1;

  BondedOnPool::Wanted wanted;
  if (!evflag) return wanted;
  wanted.tallies = pair->eflag_either || pair->vflag_either;
  if (pair->eflag_either && pair->eflag_atom) wanted.eatom = pair->eatom;
  if (pair->vflag_either && pair->vflag_atom) wanted.vatom = pair->vatom;
  return wanted;
}

/* ---------------------------------------------------------------------- */

void TalliesOfPair::add(int evflag, const BondedOnPool::PairTally &sum)
{
  if (!evflag) return;
  Pair *const pair = force->pair;
  if (pair->eflag_either && pair->eflag_global) {
    pair->eng_vdwl += sum.evdwl;
    pair->eng_coul += sum.ecoul;
  }
  if (pair->vflag_either && pair->vflag_global)
    for (int i = 0; i < 6; i++) pair->virial[i] += sum.virial[i];
}
