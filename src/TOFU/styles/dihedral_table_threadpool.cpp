// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "dihedral_table_threadpool.h"

#include "atom.h"

#include "kernels/bonded/dihedrals.h"
#include "threadpool/bonded/bonded_tables_of.h"

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void DihedralTableThreadpool::compute_on_pool()
{
  const auto coefficients = no_coefficients(atom->ndihedraltypes);
  curves.ends = BondedTables::Ends::PERIODIC;
  curves.npoints = tablength;
  curves.splines = tabstyle == SPLINE;
  copy_tables(atom->ndihedraltypes, setflag, tables, tabindex, curves,
              [](const auto &from, auto &to) { to.has_forces = !from.f_unspecified; });
  compute_list([&](const BondedJob &job, PairTally &tally) {
    dihedral_of_form(DihedralForm::TABLE, {nullptr, 0, &curves}, coefficients, job, tally);
  });
  for_remarkable([&](const int *atoms) { problem(FLERR, atoms[0], atoms[1], atoms[2], atoms[3]); });
}
