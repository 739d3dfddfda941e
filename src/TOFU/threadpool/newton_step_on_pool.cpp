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

#include "newton_step_on_pool.h"

#include "kernels/flat_vectors.h"

#include "error.h"
#include "fix_minimize.h"
#include "update.h"

#include <algorithm>
#include <iterator>
#include <mpi.h>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr double EPSILON = TrustRegion::EPSILON;

/* ---------------------------------------------------------------------- */

NewtonStepOnPool::NewtonStepOnPool(LAMMPS *lmp) : MinOnPool(lmp)
{
  searchflag = 1;
}

/* ---------------------------------------------------------------------- */

void NewtonStepOnPool::init()
{
  MinOnPool::init();
  if (normstyle == MAX)
    error->all(FLERR, "Min_style {} needs min_modify norm two or inf", update->minimize_style);
}

/* ----------------------------------------------------------------------
   the errors of Min::setup(), which knows the minimizer by its name without suffix
------------------------------------------------------------------------- */

void NewtonStepOnPool::setup_style()
{
  if (nextra_global) error->all(FLERR, "Cannot use hftn min style with fix box/relax");
  if (nextra_atom) error->all(FLERR, "Cannot use hftn min style with per-atom DOF");
  for (std::size_t k = 0; k < std::size(OF_FIX); k++) fix_minimize->add_vector(3);
}

/* ---------------------------------------------------------------------- */

void NewtonStepOnPool::reset_vectors()
{
  MinOnPool::reset_vectors();
  all.x = xvec;
  all.f = fvec;
  int k = 0;
  for (const auto vector : OF_FIX) all.*vector = fix_minimize->request_vector(k++);
}

/* ---------------------------------------------------------------------- */

NewtonStepOnPool::Vectors NewtonStepOnPool::Vectors::from(int atom) const
{
  const std::size_t k = static_cast<std::size_t>(3) * atom;
  Vectors some = *this;
  some.x += k;
  some.f += k;
  for (const auto vector : OF_FIX) some.*vector += k;
  return some;
}

/* ----------------------------------------------------------------------
   work(vectors, n) for some atoms, as in MinOnPool
------------------------------------------------------------------------- */

template <class Work> void NewtonStepOnPool::for_all(const Work &work) const
{
  for_atoms(threadpool, natoms(),
            [&](int first, int last) { work(all.from(first), 3 * (last - first)); });
}

/* ----------------------------------------------------------------------
   over all ranks
------------------------------------------------------------------------- */

template <int N, class Work> std::array<double, N> NewtonStepOnPool::sum(const Work &work) const
{
  const auto mine = sum_over_atoms<N>(threadpool, natoms(), [&](int first, int last) {
    return work(all.from(first), 3 * (last - first));
  });
  std::array<double, N> sums{};
  MPI_Allreduce(mine.data(), sums.data(), N, MPI_DOUBLE, MPI_SUM, world);
  return sums;
}

/* ---------------------------------------------------------------------- */

double NewtonStepOnPool::evaluate(int resetflag)
{
  neval++;
  return energy_force(resetflag);
}

/* ---------------------------------------------------------------------- */

double NewtonStepOnPool::norm_of_forces()
{
  return std::sqrt(fnorm_sqr());
}

/* ---------------------------------------------------------------------- */

double NewtonStepOnPool::product_with_forces(double *Vectors::*vector)
{
  return sum<1>([=](const Vectors &some, int n) {
    return std::array<double, 1>{dot_product(some.*vector, some.f, n)};
  })[0];
}

/* ---------------------------------------------------------------------- */

void NewtonStepOnPool::begin_here()
{
  fix_minimize->store_box();
  for_all([](const Vectors &some, int n) { std::copy_n(some.x, n, some.begin); });
}

/* ---------------------------------------------------------------------- */

void NewtonStepOnPool::go_back()
{
  for_all([](const Vectors &some, int n) { std::copy_n(some.begin, n, some.x); });
}

/* ---------------------------------------------------------------------- */

void NewtonStepOnPool::take_step()
{
  for_all([](const Vectors &some, int n) {
    combine_vectors(1.0, some.begin, 1.0, some.step, some.x, n);
  });
}

/* ----------------------------------------------------------------------
   distances are those of "Parallel Unconstrained Min", Plantenga, SAND98-8201
------------------------------------------------------------------------- */

NewtonStepOnPool::Product NewtonStepOnPool::multiply(double *Vectors::*vector, double norm,
                                                     double force, bool put_back)
{
  Product found{};
  if (norm == 0.0) {
    for_all([](const Vectors &some, int n) { std::fill_n(some.product, n, 0.0); });
    if (put_back) found.energy = evaluate(0);
    return found;
  }

  const bool one_sided = force > 1000.0 * std::sqrt(EPSILON);
  const double distance = one_sided ? 2.0 * std::sqrt(1000.0 * EPSILON) / norm
                                    : std::pow(3000.0 * EPSILON, 0.33333333) / norm;
  fix_minimize->store_box();
  for_all([=](const Vectors &some, int n) {
    std::copy_n(some.x, n, some.x_before);
    combine_vectors(1.0, some.x, distance, some.*vector, some.x, n);
  });
  evaluate(0);
  for_all([=](const Vectors &some, int n) {
    std::copy_n(some.f, n, some.displaced_forces);
    if (one_sided)
      std::copy_n(some.x_before, n, some.x);
    else
      combine_vectors(1.0, some.x_before, -distance, some.*vector, some.x, n);
  });
  found.energy = evaluate(0);
  found.with_vector = sum<1>([=](const Vectors &some, int n) {
    scale_difference((one_sided ? 1.0 : 0.5) / distance, some.f, some.displaced_forces,
                     some.product, n);
    return std::array<double, 1>{dot_product(some.*vector, some.product, n)};
  })[0];
  if (put_back && !one_sided) {
    for_all([](const Vectors &some, int n) { std::copy_n(some.x_before, n, some.x); });
    found.energy = evaluate(0);
  }
  return found;
}

/* ---------------------------------------------------------------------- */

NewtonStep NewtonStepOnPool::find_step(Place here, double radius, double tolerance)
{
  if (!here.has_forces) here = {evaluate(0), norm_of_forces(), true};
  if (!std::isfinite(here.force)) return {StepEnd::NOT_A_NUMBER, 0.0, 0.0};
  if (here.force <= tolerance) return {StepEnd::NO_STEP, 0.0, 0.0};

  start_from_forces();
  const double force_squared = here.force * here.force;
  Search now{radius, {StepEnd::MOST_ITERATIONS, 0.0, 0.0}, force_squared, force_squared, 0.0};
  const int most = most_iterations(here);
  for (int k = 0; k < most; k++) {
    now.curvature =
        multiply(&Vectors::direction, std::sqrt(now.direction), here.force, false).with_vector;
    if (!std::isfinite(now.curvature)) return {StepEnd::NOT_A_NUMBER, 0.0, 0.0};
    if (now.curvature <= EPSILON * now.direction) return step_along_negative_curvature(now);

    const double distance = now.residual / now.curvature;
    const NewtonStep next = look_ahead(distance, StepEnd::MOST_ITERATIONS);
    if (next.norm() > radius || next.largest > dmax) return step_to_limit(now, next);

    const double residual = move_on(distance);
    now.step = next;
    if (std::sqrt(residual) < tolerance * here.force) {
      now.step.end = StepEnd::MINIMUM;
      break;
    }
    now.direction = next_direction(residual / now.residual);
    now.residual = residual;
  }
  return now.step;
}

/* ----------------------------------------------------------------------
   few if differences of forces are near those by rounding
------------------------------------------------------------------------- */

int NewtonStepOnPool::most_iterations(const Place &here) const
{
  const bigint by_size = std::max(ndoftotal / 5, std::min<bigint>(ndoftotal, 100));
  bigint most = std::min<bigint>(by_size, (update->max_eval - neval) / 2);
  if (here.force < std::sqrt(EPSILON) * std::max(1.0, std::fabs(here.energy)))
    most = std::min(most, ndoftotal / 20);
  return static_cast<int>(most);
}

/* ---------------------------------------------------------------------- */

void NewtonStepOnPool::start_from_forces()
{
  for_all([](const Vectors &some, int n) {
    std::fill_n(some.step, n, 0.0);
    std::copy_n(some.f, n, some.residual);
    std::copy_n(some.f, n, some.direction);
  });
}

/* ----------------------------------------------------------------------
   what the step will be so far along the direction
------------------------------------------------------------------------- */

NewtonStep NewtonStepOnPool::look_ahead(double distance, StepEnd end) const
{
  const auto of_atoms = [&](int first, int last) {
    const Vectors some = all.from(first);
    const int n = 3 * (last - first);
    double next[3 * ATOMS_OF_A_SUM];
    combine_vectors(1.0, some.step, distance, some.direction, next, n);
    return std::array<double, 2>{dot_product(next, next, n), largest_magnitude(next, n)};
  };
  const auto mine = sum_and_largest_over_atoms(threadpool, natoms(), of_atoms);
  NewtonStep step{end, 0.0, 0.0};
  MPI_Allreduce(&mine[0], &step.squared, 1, MPI_DOUBLE, MPI_SUM, world);
  MPI_Allreduce(&mine[1], &step.largest, 1, MPI_DOUBLE, MPI_MAX, world);
  return step;
}

/* ----------------------------------------------------------------------
   \return   the residual, its norm squared
------------------------------------------------------------------------- */

double NewtonStepOnPool::move_on(double distance)
{
  return sum<1>([=](const Vectors &some, int n) {
    combine_vectors(1.0, some.step, distance, some.direction, some.step, n);
    combine_vectors(1.0, some.residual, -distance, some.product, some.residual, n);
    return std::array<double, 1>{dot_product(some.residual, some.residual, n)};
  })[0];
}

/* ----------------------------------------------------------------------
   \return   its norm squared
------------------------------------------------------------------------- */

double NewtonStepOnPool::next_direction(double factor)
{
  return sum<1>([=](const Vectors &some, int n) {
    combine_vectors(1.0, some.residual, factor, some.direction, some.direction, n);
    return std::array<double, 1>{dot_product(some.direction, some.direction, n)};
  })[0];
}

/* ---------------------------------------------------------------------- */

void NewtonStepOnPool::last_move(double distance)
{
  for_all([=](const Vectors &some, int n) {
    combine_vectors(1.0, some.step, distance, some.direction, some.step, n);
  });
}

/* ----------------------------------------------------------------------
   not along a direction at all that would move a coordinate by more than dmax
------------------------------------------------------------------------- */

NewtonStep NewtonStepOnPool::step_to_limit(const Search &now, NewtonStep next)
{
  double distance = 0.0;
  if (next.norm() > now.radius) {
    const double along = sum<1>([](const Vectors &some, int n) {
      return std::array<double, 1>{dot_product(some.step, some.direction, n)};
    })[0];
    distance = WaysToRadius(now.radius, now.step.squared, along, now.direction).forwards();
    next = look_ahead(distance, StepEnd::RADIUS);
  }
  if (next.largest > dmax) return {StepEnd::DMAX, now.step.squared, now.step.largest};
  last_move(distance);
  return next;
}

/* ----------------------------------------------------------------------
   to the radius, forth or back, where the energy of the parabola is lower
------------------------------------------------------------------------- */

NewtonStep NewtonStepOnPool::step_along_negative_curvature(const Search &now)
{
  const auto [along, bent] = sum<2>([](const Vectors &some, int n) {
    return std::array<double, 2>{dot_product(some.step, some.direction, n),
                                 dot_product(some.step, some.product, n)};
  });
  go_back();
  evaluate(0);
  const double slope = bent - product_with_forces(&Vectors::direction);
  const WaysToRadius ways(now.radius, now.step.squared, along, now.direction);
  const double distance = ways.downwards(slope, now.curvature);
  const NewtonStep next = look_ahead(distance, StepEnd::NEGATIVE_CURVATURE);
  last_move(distance);
  return next;
}
