// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "fix_efield_threadpool.h"

#include "threadpool/fixes/fix_calls.h"

#include "atom.h"
#include "region.h"

#include <algorithm>

using namespace LAMMPS_NS;

/* ----------------------------------------------------------------------
   fix efield warns of TIP4P water by its own name only
------------------------------------------------------------------------- */

FixEfieldThreadpool::FixEfieldThreadpool(LAMMPS *lmp, int narg, char **arg) :
    GroupFixOnPool(lmp, narg, StockArguments(narg, arg).words())
{
}

/* ---------------------------------------------------------------------- */

bool FixEfieldThreadpool::is_for_stock() const
{
  return varflag == ATOM || estyle == ATOM || pstyle == ATOM || muflag;
}

/* ----------------------------------------------------------------------
   a field by variables has no energy, and no virial
------------------------------------------------------------------------- */

void FixEfieldThreadpool::post_force(int vflag)
{
  if (is_for_stock()) {
    FixEfield::post_force(vflag);
    return;
  }
  v_init(vflag);
  if (region) region->prematch();
  std::fill_n(fsum, 4, 0.0);
  force_flag = 0;
  if (varflag == EQUAL) update_efield_variables();
  if (evflag && varflag == CONSTANT)
    push_charges<true>();
  else
    push_charges<false>();
  if (varflag == EQUAL) fsum[0] = 0.0;
}

/* ----------------------------------------------------------------------
   sums are energy, force, and virial
------------------------------------------------------------------------- */

template <bool VIRIAL> void FixEfieldThreadpool::push_charges()
{
  constexpr int N = VIRIAL ? 10 : 4;
  const AtomRows f(atom->f);
  const UnwrappedPositions unwrapped(lmp);
  const double *const q = atom->q, field[3] = {ex, ey, ez};
  double **const virials = vflag_atom ? vatom : nullptr;
  const auto sums = loops(region).sum<N>([=](int i, std::array<double, N> &sum) {
    const std::array<double, 3> at = unwrapped[i];
    const double fx = q[i] * field[0], fy = q[i] * field[1], fz = q[i] * field[2];
    f[i][0] += fx;
    f[i][1] += fy;
    f[i][2] += fz;
    sum[0] -= fx * at[0] + fy * at[1] + fz * at[2];
    sum[1] += fx;
    sum[2] += fy;
    sum[3] += fz;
    if constexpr (VIRIAL) {
      const double v[6] = {fx * at[0], fy * at[1], fz * at[2], fx * at[1], fx * at[2], fy * at[2]};
      for (int k = 0; k < 6; k++) sum[4 + k] += v[k];
      if (virials)
        for (int k = 0; k < 6; k++) virials[i][k] += v[k];
    }
  });
  std::copy_n(sums.begin(), 4, fsum);
  if constexpr (VIRIAL)
    if (vflag_global)
      for (int k = 0; k < 6; k++) virial[k] += sums[4 + k];
}
