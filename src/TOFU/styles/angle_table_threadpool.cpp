// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "angle_table_threadpool.h"

#include "atom.h"

#include "kernels/bonded/angles.h"
#include "threadpool/bonded/bonded_tables_of.h"

#include <limits>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void AngleTableThreadpool::compute_on_pool()
{
  const auto coefficients = no_coefficients(atom->nangletypes);
  curves.ends = BondedTables::Ends::LAST;
  curves.npoints = tablength;
  curves.splines = tabstyle == 1;
  copy_tables(atom->nangletypes, setflag, tables, tabindex, curves, [](const auto &, auto &) {});
  compute_list([&](const BondedJob &job, PairTally &tally) {
    angle_of_form(AngleForm::TABLE, {nullptr, &curves}, coefficients, job, tally);
  });
  for_remarkable([&](const int *atoms) { report(atoms); });
}

/* ----------------------------------------------------------------------
   the style without the suffix says what is wrong
------------------------------------------------------------------------- */

void AngleTableThreadpool::report(const int *atoms)
{
  double energy, force;
  uf_lookup(atoms[3], std::numeric_limits<double>::quiet_NaN(), energy, force);
}
