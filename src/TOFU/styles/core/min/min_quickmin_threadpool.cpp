// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "min_quickmin_threadpool.h"

#include "force.h"
#include "update.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr int DELAYSTEP = 5;    // since v.f < 0, until energies count

/* ---------------------------------------------------------------------- */

int MinQuickMinThreadpool::iterate(int maxiter)
{
  alpha_final = 0.0;
  for (int k = 0; k < maxiter; k++) {
    if (!begin_iteration()) return TIMEOUT;

    const auto [vf, vv, ff] = products();
    double along_forces = 0.0;
    if (vf < 0.0)
      last_negative = update->ntimestep;
    else if (ff != 0.0)
      along_forces = vf / ff;

    const double time = limited([=](const Atoms &some) {
      if (along_forces == 0.0)
        std::fill_n(some.v, some.n, 0.0);
      else
        combine_vectors(along_forces, some.f, 0.0, some.f, some.v, some.n);
    });
    const double kick = time * force->ftm2v;
    for_blocks([=](const Atoms &some) {
      combine_vectors(1.0, some.x, time, some.v, some.x, some.n);
      some.kick(kick);
    });
    evaluate();

    int reason = MAXITER;
    if (has_converged(DELAYSTEP, reason)) return reason;
    write_output();
  }
  return MAXITER;
}
