// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "fix_nvt_sllod_threadpool.h"

#include "threadpool/pool/step_sums.h"

#include "lammps/styles/style_table.h"

#include "compute.h"
#include "domain.h"
#include "math_extra.h"
#include "utils.h"

#include <cstring>

using namespace LAMMPS_NS;

/* ----------------------------------------------------------------------
   fix nvt/sllod has checked its arguments, and keeps for itself what they say
------------------------------------------------------------------------- */

FixNVTSllodThreadpool::FixNVTSllodThreadpool(LAMMPS *lmp, int narg, char **arg) :
    NoseHooverOnPool(lmp, narg, arg), whole_velocities(false)
{
  for (int iarg = 3; iarg + 1 < narg; iarg++)
    if (strcmp(arg[iarg], "psllod") == 0)
      whole_velocities = utils::logical(FLERR, arg[iarg + 1], false, lmp);
}

/* ----------------------------------------------------------------------
   the thermostat acts on thermal velocities, and so does the correction, which is
   the rate of the box times the velocity.  A bias other than that of the box may
   come from the atoms that the rank has now
------------------------------------------------------------------------- */

void FixNVTSllodThreadpool::nh_v_temp()
{
  if (TOFU_NS::without_suffix(temperature->style) != "temp/deform") temperature->compute_scalar();

  double rate[6];
  MathExtra::multiply_shape_shape(domain->h_rate, domain->h_inv, rate);
  atoms().change(
      [&](double *thermal, const double *whole) {
        const double *const v = whole_velocities ? whole : thermal;
        const double correction[3] = {rate[0] * v[0] + rate[5] * v[1] + rate[4] * v[2],
                                      rate[1] * v[1] + rate[3] * v[2], rate[2] * v[2]};
        for (int k = 0; k < 3; k++) thermal[k] = thermal[k] * factor_eta - dthalf * correction[k];
      },
      temperature);
  threadpool->sums().moved();
}
