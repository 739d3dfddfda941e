/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

/* ----------------------------------------------------------------------
   Contributing authors: the TOFU developers
------------------------------------------------------------------------- */

#include "min_hftn_threadpool.h"

#include "kernels/flat_vectors.h"

#include "output.h"
#include "timer.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <mpi.h>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr double LEAST_ENERGY = 1.0e-8;    // to which a change of energy is relative
static constexpr double LEAST_FORCE = 1.0e-6;     // above which a lower energy is enough

/* ----------------------------------------------------------------------
   niter is the number of the iteration from 0, as in LAMMPS
------------------------------------------------------------------------- */

int MinHFTNThreadpool::iterate(int maxiter)
{
  eprevious = ecurrent;
  alpha_final = 0.0;
  if (fnorm2_init < update->ftol) return FTOL;

  begin_here();
  const double least_radius = TrustRegion::EPSILON * std::max(1.0, largest_coordinate());
  const double most_radius = dmax * std::sqrt(static_cast<double>(ndoftotal));
  TrustRegion region{std::min(1.5 * fnorm2_init, most_radius), most_radius, most_radius};
  Place here{ecurrent, fnorm2_init, true};
  for (niter = 0; niter < maxiter; niter++) {
    if (timer->check_timeout(niter)) return TIMEOUT;
    ++update->ntimestep;

    const double tolerance = std::max(std::min(here.force / 2.0, 0.1 / (niter + 1)), update->ftol);
    const NewtonStep step = find_step(here, region.radius, tolerance);
    if (step.end == StepEnd::NO_STEP) return FTOL;
    if (step.end == StepEnd::NOT_A_NUMBER) {
      move_to(0.0);
      return INTERROR;
    }
    const Product product = multiply(&Vectors::step, step.norm(), here.force, true);
    here.energy = product.energy;
    const double predicted = product_with_forces(&Vectors::step) - 0.5 * product.with_vector;

    move_to(1.0);
    const double energy = evaluate(1);
    const Place there{energy, norm_of_forces(), true};
    const double decrease = here.energy - there.energy;
    if (there.force < update->ftol) return FTOL;
    if (step.end != StepEnd::DMAX && (energy_stays(here.energy, energy) || step.largest == 0.0))
      return ETOL;

    const bool accepted = decrease > 0.0 && (there.force < here.force || here.force > LEAST_FORCE);
    if (accepted) {
      begin_here();
      eprevious = here.energy;
      here = there;
      region.after_accepted(step, decrease, predicted);
    } else {
      move_to(0.0);
      here.has_forces = false;
      region.after_rejected(step, decrease, predicted, here.force);
      if (region.radius <= least_radius) return TRSMALL;
    }

    if (output->next == update->ntimestep && !accepted) here.energy = evaluate(1);
    ecurrent = here.energy;    // LAMMPS leaves that of the begin
    write_output();
    if (neval >= update->max_eval) return MAXEVAL;
  }
  return MAXITER;
}

/* ---------------------------------------------------------------------- */

double MinHFTNThreadpool::largest_coordinate() const
{
  const double mine = largest_over_atoms(threadpool, natoms(), [&](int first, int last) {
    return largest_magnitude(vectors[0].from(first).x, 3 * (last - first));
  });
  double all = 0.0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, world);
  return all;
}

/* ---------------------------------------------------------------------- */

bool MinHFTNThreadpool::energy_stays(double before, double after) const
{
  const double size = std::max(LEAST_ENERGY, 0.5 * (std::fabs(before) + std::fabs(after)));
  return std::fabs(before - after) < update->etol * size;
}
