// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "fix_qeq_reaxff_threadpool.h"

#include "atom.h"
#include "pair_reaxff.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ----------------------------------------------------------------------
   the list is that of the pair style, if there is one
------------------------------------------------------------------------- */

ChargesOnPool::Input FixQEqReaxFFThreadpool::make_input()
{
  ChargesOnPool::Input input;
  input.list = reaxff ? reaxff->list : list;
  input.pairs = ChargeList::Pairs::ONCE;
  input.field = field();
  input.most_passes = imax;
  return input;
}

/* ----------------------------------------------------------------------
   [nlocal] potential of fix efield; nullptr: there is none
------------------------------------------------------------------------- */

const double *FixQEqReaxFFThreadpool::field()
{
  if (!efield) return nullptr;
  if (!chi_field || atom->nmax > nmax) {
    deallocate_storage();
    allocate_storage();
  }
  get_chi_field();
  return chi_field;
}
