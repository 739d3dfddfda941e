// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "min_fire_threadpool.h"

#include "comm.h"
#include "error.h"
#include "force.h"
#include "update.h"

#include <algorithm>
#include <cmath>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void MinFireThreadpool::init()
{
  DampedOnPool::init();
  if (tmax < tmin) error->all(FLERR, "tmax has to be larger than tmin");
  if (dtgrow < 1.0) error->all(FLERR, "dtgrow has to be larger than 1.0");
  if (dtshrink > 1.0) error->all(FLERR, "dtshrink has to be smaller than 1.0");
  dt_most = tmax * dt;
  dt_least = tmin * dt;
  alpha = alpha0;
  first_step = update->ntimestep;
  nnegative = 0;
}

/* ---------------------------------------------------------------------- */

void MinFireThreadpool::setup_style()
{
  if (comm->me == 0) print_parameters();
  DampedOnPool::setup_style();
  at_rest = true;
}

/* ----------------------------------------------------------------------
   the lines that LAMMPS prints
------------------------------------------------------------------------- */

void MinFireThreadpool::print_parameters() const
{
  constexpr const char *INTEGRATORS[] = {"eulerimplicit", "verlet", "leapfrog", "eulerexplicit"};
  const auto yes_or_no = [](int flag) {
    return flag ? "yes" : "no";
  };
  utils::logmesg(lmp,
                 "  Parameters for {}:\n"
                 "    dmax  delaystep dtgrow dtshrink alpha0 alphashrink tmax tmin   integrator   "
                 "halfstepback   abcfire  \n"
                 "    {:^5} {:^9} {:^6} {:^8} {:^6} {:^11} {:^4} {:^4} {:^14} {:^12} {:^11}\n",
                 update->minimize_style, dmax, delaystep, dtgrow, dtshrink, alpha0, alphashrink,
                 tmax, tmin, INTEGRATORS[integrator], yes_or_no(halfstepback_flag),
                 yes_or_no(abcflag));
}

/* ---------------------------------------------------------------------- */

int MinFireThreadpool::iterate(int maxiter)
{
  alpha_final = 0.0;
  if (integrator == LEAPFROG) start_leapfrog();
  for (int k = 0; k < maxiter; k++) {
    if (!begin_iteration()) return TIMEOUT;

    Mix velocities{};
    const Products now = products();
    if (now.vf > 0.0)
      velocities = mix(now);
    else if (!go_half_step_back())
      return MAXVDOTF;

    integrate(time_of_step(), velocities);
    at_rest = false;

    int reason = MAXITER;
    if (has_converged(delaystep, reason)) return reason;
    write_output();
  }
  return MAXITER;
}

/* ----------------------------------------------------------------------
   velocities half a step before the first
------------------------------------------------------------------------- */

void MinFireThreadpool::start_leapfrog()
{
  energy_force(0);
  neval++;
  const double kick = -0.5 * dt * force->ftm2v;
  for_blocks([=](const Atoms &some) {
    std::fill_n(some.v, some.n, 0.0);
    some.kick(kick);
  });
}

/* ----------------------------------------------------------------------
   v.f > 0: v = (1 - alpha) v + alpha |v| f / |f|, and longer steps after some time
------------------------------------------------------------------------- */

MinFireThreadpool::Mix MinFireThreadpool::mix(const Products &now)
{
  constexpr double LEAST_FF = 1e-20, LEAST_ALPHA = 1e-10;
  nnegative = 0;
  double part = 1.0;
  if (abcflag) {
    alpha = std::max(alpha, LEAST_ALPHA);
    part = 1.0 - std::pow(1.0 - alpha, static_cast<double>(update->ntimestep - last_negative));
  }
  const double of_f = now.ff <= LEAST_FF ? 0.0 : alpha * std::sqrt(now.vv / now.ff);
  const Mix velocities{true, (1.0 - alpha) / part, of_f / part};
  if (update->ntimestep - last_negative > delaystep) {
    dt = std::min(dt * dtgrow, dt_most);
    update->dt = dt;
    alpha *= alphashrink;
  }
  return velocities;
}

/* ----------------------------------------------------------------------
   v.f <= 0: atoms go back by half a step and stop, and steps become shorter

   \return   false: it was so for too many steps
------------------------------------------------------------------------- */

bool MinFireThreadpool::go_half_step_back()
{
  last_negative = update->ntimestep;
  if (update->ntimestep - first_step >= delaystep || !delaystep_start_flag) {
    alpha = alpha0;
    if (dt * dtshrink >= dt_least) {
      dt *= dtshrink;
      update->dt = dt;
    }
  }
  nnegative++;
  if (max_vdotf_negatif > 0 && nnegative > max_vdotf_negatif) return false;
  const double back = halfstepback_flag ? -0.5 * dt : 0.0;
  for_blocks([=](const Atoms &some) {
    if (back != 0.0) combine_vectors(1.0, some.x, back, some.v, some.x, some.n);
    std::fill_n(some.v, some.n, 0.0);
  });
  at_rest = true;
  return true;
}

/* ----------------------------------------------------------------------
   atoms at rest: by the velocities that the step would give them, which takes the
   forces of where they have gone back to.  ABC-FIRE limits each velocity instead
------------------------------------------------------------------------- */

double MinFireThreadpool::time_of_step()
{
  if (abcflag) return limited_to(0.0);
  if (!at_rest) return limited([](const Atoms &) {});
  energy_force(0);
  neval++;
  const double kick = dt * force->ftm2v;
  const double time = limited([=](const Atoms &some) {
    std::fill_n(some.v, some.n, 0.0);
    some.kick(kick);
  });
  stop_atoms();
  return time;
}

/* ---------------------------------------------------------------------- */

void MinFireThreadpool::integrate(double time, const Mix &velocities)
{
  const double whole = time * force->ftm2v, first = integrator == VERLET ? 0.5 * whole : whole;
  const bool kicks_first = integrator != EULEREXPLICIT;
  for_blocks([&](const Atoms &some) {
    if (kicks_first) some.kick(first);
    apply(velocities, time, some);
    combine_vectors(1.0, some.x, time, some.v, some.x, some.n);
    if (!kicks_first) some.kick(whole);
  });
  evaluate();
  if (integrator == VERLET) for_blocks([=](const Atoms &some) { some.kick(first); });
}

/* ---------------------------------------------------------------------- */

void MinFireThreadpool::apply(const Mix &velocities, double time, const Atoms &some) const
{
  if (!velocities.mixes) return;
  combine_vectors(velocities.of_v, some.v, velocities.of_f, some.f, some.v, some.n);
  if (!abcflag) return;
  for (int k = 0; k < some.n; k++)
    if (std::fabs(some.v[k] * time) > dmax)
      some.v[k] = dmax / time * some.v[k] / std::fabs(some.v[k]);
}
