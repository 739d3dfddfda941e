// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "fix_qeq_shielded_threadpool.h"

#include "error.h"
#include "force.h"
#include "kspace.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void FixQEqShieldedThreadpool::setup_pre_force(int vflag)
{
  if (force->newton_pair == 0) error->all(FLERR, "QEQ with 'newton pair off' not supported");
  ChargesStyle::setup_pre_force(vflag);
}

/* ---------------------------------------------------------------------- */

ChargesOnPool::Input FixQEqShieldedThreadpool::make_input()
{
  ChargesOnPool::Input input;
  input.list = list;
  input.pairs = ChargeList::Pairs::TWICE;
  input.most_passes = maxiter;
  return input;
}

/* ---------------------------------------------------------------------- */

void FixQEqShieldedThreadpool::after_charges()
{
  if (force->kspace) force->kspace->qsum_qsq();
}
