// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "one_four_on_pool.h"

#include "atom.h"
#include "compute.h"
#include "force.h"
#include "modify.h"
#include "neighbor.h"
#include "pair.h"
#include "utils.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

OneFourOnPool::OneFourOnPool(LAMMPS *lmp) : Pointers(lmp), on_pool(lmp, 2) {}

/* ---------------------------------------------------------------------- */

void OneFourOnPool::init()
{
  on_pool.init();
  weights.clear();
  tallied = false;
  for (const Compute *compute : modify->get_compute_list())
    if (utils::strmatch(compute->style, "/tally$")) tallied = true;
}

/* ---------------------------------------------------------------------- */

void OneFourOnPool::collect(const double *weight, bool anew)
{
  const std::vector<double> now(weight, weight + atom->ndihedraltypes + 1);
  if (!anew && std::equal(now.begin() + 1, now.end(), weights.begin() + 1)) return;
  weights = now;
  pairs.clear();
  for (int n = 0; n < neighbor->ndihedrallist; n++) {
    const int *const one = neighbor->dihedrallist[n];
    if (weight[one[4]] > 0.0) pairs.insert(pairs.end(), {one[0], one[3], one[4]});
  }
  on_pool.forget();
}

/* ----------------------------------------------------------------------
   energy and virial are those of the pair style, but newton is that of bonds.
   A virial that the pair style takes from the sum of all forces has been computed
   before these are there
------------------------------------------------------------------------- */

void OneFourOnPool::compute(int evflag, int vflag_global, OneFourTables tables,
                            const BondedCoefficients &coefficients)
{
  Pair *const pair = force->pair;
  if (vflag_global == VIRIAL_FDOTR) pair->vflag_either = pair->vflag_global = 1;

  tables.q = atom->q;
  tables.type = atom->type;
  tables.qqrd2e = force->qqrd2e;
  BondedOnPool::Wanted wanted;
  if (evflag) {
    wanted.tallies = pair->eflag_either || pair->vflag_either;
    if (pair->eflag_either && pair->eflag_atom) wanted.eatom = pair->eatom;
    if (pair->vflag_either && pair->vflag_atom) wanted.vatom = pair->vatom;
  }

  on_pool.deal({pairs.data(), static_cast<int>(pairs.size() / 3)});
  const PairTally sum = on_pool.compute(wanted, [&](const BondedJob &job, PairTally &tally) {
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

double OneFourOnPool::memory_usage() const
{
  return on_pool.memory_usage() + static_cast<double>(pairs.capacity() * sizeof(int));
}
