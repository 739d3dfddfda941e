// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "fix_freeze_threadpool.h"

#include "atom.h"
#include "error.h"
#include "modify.h"

#include <array>

using namespace LAMMPS_NS;

/* ----------------------------------------------------------------------
   fix freeze counts those of its own name only
------------------------------------------------------------------------- */

void FixFreezeThreadpool::init()
{
  FixOnPool::init();
  if (modify->get_fix_by_style("^freeze").size() > 1) error->all(FLERR, "More than one fix freeze");
}

/* ---------------------------------------------------------------------- */

void FixFreezeThreadpool::post_force(int vflag)
{
  const int nlocal = igroup == atom->firstgroup ? atom->nfirst : atom->nlocal;
  if (nlocal == 0) {
    FixFreeze::post_force(vflag);
    return;
  }

  double *const f = atom->f[0], *const torque = atom->torque[0];
  const int *const mask = atom->mask;

  const auto before = sum_over_atoms<3>(threadpool, nlocal, [&](int first, int last) {
    std::array<double, 3> sum{};
    for (int i = first; i < last; i++) {
      if (!(mask[i] & groupbit)) continue;
      for (int k = 0; k < 3; k++) {
        sum[k] += f[3 * i + k];
        f[3 * i + k] = torque[3 * i + k] = 0.0;
      }
    }
    return sum;
  });
  for (int k = 0; k < 3; k++) foriginal[k] = before[k];
  force_flag = 0;
}
