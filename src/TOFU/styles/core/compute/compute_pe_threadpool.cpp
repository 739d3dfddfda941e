// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "compute_pe_threadpool.h"

#include "threadpool/pool/step_sums.h"

#include "angle.h"
#include "atom.h"
#include "bond.h"
#include "dihedral.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "improper.h"
#include "kspace.h"
#include "modify.h"
#include "pair.h"
#include "update.h"

#include <algorithm>
#include <string>

using namespace LAMMPS_NS;

/* ----------------------------------------------------------------------
   compute pe has checked its arguments, and keeps for itself what they say
------------------------------------------------------------------------- */

ComputePEThreadpool::ComputePEThreadpool(LAMMPS *lmp, int narg, char **arg) :
    ComputeOnPool(lmp, narg, arg),
    energies(RankSum::Of::FORCES, 1, [this](double *mine) { add_energies(mine); })
{
  const auto wanted = [&](const std::string &word) {
    return narg == 3 || std::find(arg + 3, arg + narg, word) != arg + narg;
  };
  pairs = wanted("pair");
  bonds = wanted("bond");
  angles = wanted("angle");
  dihedrals = wanted("dihedral");
  impropers = wanted("improper");
  long_range = wanted("kspace");
  fixes = wanted("fix");
}

/* ---------------------------------------------------------------------- */

void ComputePEThreadpool::add_energies(double *mine) const
{
  double one = 0.0;
  if (pairs && force->pair) one += force->pair->eng_vdwl + force->pair->eng_coul;
  if (atom->molecular != Atom::ATOMIC) {
    if (bonds && force->bond) one += force->bond->energy;
    if (angles && force->angle) one += force->angle->energy;
    if (dihedrals && force->dihedral) one += force->dihedral->energy;
    if (impropers && force->improper) one += force->improper->energy;
  }
  mine[0] = one;
}

/* ---------------------------------------------------------------------- */

double ComputePEThreadpool::compute_scalar()
{
  RankPool *const threadpool = RankPool::find(lmp);
  if (!threadpool) return ComputePE::compute_scalar();

  invoked_scalar = update->ntimestep;
  if (update->eflag_global != invoked_scalar && threadpool->tally_late) threadpool->tally_late();
  if (update->eflag_global != invoked_scalar)
    error->all(FLERR, "Energy was not tallied on needed timestep");
  scalar = *threadpool->sums().of(energies);
  if (long_range && force->kspace) scalar += force->kspace->energy;
  if (pairs && force->pair && force->pair->tail_flag)
    scalar += force->pair->etail / (domain->xprd * domain->yprd * domain->zprd);
  if (fixes && modify->n_energy_global) scalar += modify->energy_global();
  return scalar;
}
