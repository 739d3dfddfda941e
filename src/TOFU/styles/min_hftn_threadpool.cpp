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
   the number of iterations is that of minimize, whatever Min::run() is asked for, and
   niter that of the iteration from 0: both as in LAMMPS
------------------------------------------------------------------------- */

int MinHFTNThreadpool::iterate(int)
{
  eprevious = einitial;
  alpha_final = 0.0;
  if (fnorm2_init < update->ftol) return FTOL;

  start();
  const double least_radius = TrustRegion::EPSILON * std::max(1.0, largest_coordinate());
  for (niter = 0; niter < update->nsteps; niter++) {
    if (timer->check_timeout(niter)) return TIMEOUT;
    ++update->ntimestep;

    const NewtonStep step = find_step(here, region.radius, tolerance());
    if (step.end == StepEnd::NO_STEP) return FTOL;
    if (step.end == StepEnd::NOT_A_NUMBER) {
      go_back();
      return INTERROR;
    }
    const double predicted = predict(step);

    take_step();
    const double energy = evaluate(1);
    const Place there{energy, norm_of_forces(), true};
    if (there.force < update->ftol) return FTOL;
    if (step.end != StepEnd::DMAX && (is_near(energy) || step.largest == 0.0)) return ETOL;

    const bool accepted = is_better(there);
    if (accepted)
      accept(there, step, predicted);
    else
      reject(there, step, predicted);
    if (!accepted && region.radius <= least_radius) return TRSMALL;
    end_iteration(accepted);
    if (neval >= update->max_eval) return MAXEVAL;
  }
  return MAXITER;
}

/* ---------------------------------------------------------------------- */

void MinHFTNThreadpool::start()
{
  begin_here();
  here = {einitial, fnorm2_init, true};
  const double most_radius = dmax * std::sqrt(static_cast<double>(ndoftotal));
  region = {std::min(1.5 * fnorm2_init, most_radius), most_radius, most_radius};
}

/* ---------------------------------------------------------------------- */

double MinHFTNThreadpool::largest_coordinate() const
{
  const double mine = largest_over_atoms(threadpool, natoms(), [&](int first, int last) {
    return largest_magnitude(vectors[0].from(first).x, 3 * (last - first));
  });
  double largest = 0.0;
  MPI_Allreduce(&mine, &largest, 1, MPI_DOUBLE, MPI_MAX, world);
  return largest;
}

/* ---------------------------------------------------------------------- */

double MinHFTNThreadpool::tolerance() const
{
  return std::max(std::min(here.force / 2.0, 0.1 / (niter + 1)), update->ftol);
}

/* ----------------------------------------------------------------------
   \return   by how much the energy is to decrease
------------------------------------------------------------------------- */

double MinHFTNThreadpool::predict(const NewtonStep &step)
{
  const Product product = multiply(&Vectors::step, step.norm(), here.force, true);
  here.energy = product.energy;
  return product_with_forces(&Vectors::step) - 0.5 * product.with_vector;
}

/* ---------------------------------------------------------------------- */

bool MinHFTNThreadpool::is_near(double energy) const
{
  const double size = std::max(LEAST_ENERGY, 0.5 * (std::fabs(here.energy) + std::fabs(energy)));
  return std::fabs(here.energy - energy) < update->etol * size;
}

/* ----------------------------------------------------------------------
   small forces tell more than energies
------------------------------------------------------------------------- */

bool MinHFTNThreadpool::is_better(const Place &there) const
{
  return here.energy > there.energy && (there.force < here.force || here.force > LEAST_FORCE);
}

/* ---------------------------------------------------------------------- */

void MinHFTNThreadpool::accept(const Place &there, const NewtonStep &step, double predicted)
{
  begin_here();
  region.after_accepted(step, here.energy - there.energy, predicted);
  eprevious = here.energy;
  here = there;
}

/* ---------------------------------------------------------------------- */

void MinHFTNThreadpool::reject(const Place &there, const NewtonStep &step, double predicted)
{
  go_back();
  region.after_rejected(step, here.energy - there.energy, predicted, here.force);
  here.has_forces = false;
}

/* ----------------------------------------------------------------------
   output is that of the place where atoms are
------------------------------------------------------------------------- */

void MinHFTNThreadpool::end_iteration(bool accepted)
{
  if (output->next == update->ntimestep && !accepted) here.energy = evaluate(1);
  ecurrent = here.energy;    // LAMMPS leaves that of the begin, and prints it as the final one
  write_output();
}
