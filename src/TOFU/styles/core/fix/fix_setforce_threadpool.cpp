// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "fix_setforce_threadpool.h"

#include "atom.h"
#include "input.h"
#include "modify.h"
#include "region.h"
#include "update.h"
#include "variable.h"

#include <algorithm>

using namespace LAMMPS_NS;

namespace {

enum Style { NONE, CONSTANT, EQUAL, ATOM };    // values of xstyle and varflag

}    // namespace

/* ---------------------------------------------------------------------- */

bool FixSetForceThreadpool::is_for_stock() const
{
  return varflag == ATOM;
}

/* ----------------------------------------------------------------------
   all of it is in the order of fix setforce, since a variable may read its output
------------------------------------------------------------------------- */

void FixSetForceThreadpool::post_force(int vflag)
{
  if (is_for_stock()) {
    FixSetForce::post_force(vflag);
    return;
  }
  if (region) region->prematch();
  std::fill_n(foriginal, 3, 0.0);
  force_flag = 0;
  if (varflag == EQUAL) evaluate_variables();
  const auto before = set_forces({xvalue, yvalue, zvalue});
  std::copy(before.begin(), before.end(), foriginal);
}

/* ---------------------------------------------------------------------- */

void FixSetForceThreadpool::evaluate_variables()
{
  modify->clearstep_compute();
  if (xstyle == EQUAL) xvalue = input->variable->compute_equal(xvar);
  if (ystyle == EQUAL) yvalue = input->variable->compute_equal(yvar);
  if (zstyle == EQUAL) zvalue = input->variable->compute_equal(zvar);
  modify->addstep_compute(update->ntimestep + 1);
}

/* ----------------------------------------------------------------------
   forces of other levels than that of the fix are set to 0
------------------------------------------------------------------------- */

void FixSetForceThreadpool::post_force_respa(int vflag, int ilevel, int iloop)
{
  if (ilevel == ilevel_respa) {
    FixSetForce::post_force_respa(vflag, ilevel, iloop);
    return;
  }
  if (ilevel == 0) std::fill_n(foriginal_saved, 3, 0.0);
  if (region) region->prematch();
  const auto before = set_forces({0.0, 0.0, 0.0});
  for (int k = 0; k < 3; k++) foriginal_saved[k] += before[k];
}

/* ---------------------------------------------------------------------- */

std::array<double, 3> FixSetForceThreadpool::set_forces(const std::array<double, 3> &to)
{
  const AtomRows f(atom->f);
  const bool sets[3] = {xstyle != NONE, ystyle != NONE, zstyle != NONE};
  return loops(region).sum<3>([=](int i, std::array<double, 3> &before) {
    for (int k = 0; k < 3; k++) {
      before[k] += f[i][k];
      if (sets[k]) f[i][k] = to[k];
    }
  });
}
