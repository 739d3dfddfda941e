// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "line_search_on_pool.h"

#include "kernels/motion/flat_vectors.h"

#include "atom.h"
#include "error.h"
#include "fix_minimize.h"
#include "modify.h"
#include "output.h"
#include "pair.h"
#include "thermo.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <mpi.h>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

// limits of LAMMPS' searches (min_linesearch.cpp)

static constexpr double ALPHA_MAX = 1.0;          // else backtracking from it takes long
static constexpr double ALPHA_REDUCE = 0.5;       // factor of alpha when backtracking
static constexpr double BACKTRACK_SLOPE = 0.4;    // of the decrease that the slope promises
static constexpr double QUADRATIC_TOL = 0.1;      // relative error of energies by a parabola
static constexpr double EMACH = 1.0e-8;           // change of energy that may be rounding
static constexpr double EPS_QUAD = 1.0e-28;       // slope that is none

/* ---------------------------------------------------------------------- */

LineSearchOnPool::LineSearchOnPool(LAMMPS *lmp) : MinOnPool(lmp)
{
  searchflag = 1;
}

/* ----------------------------------------------------------------------
   min_modify takes those for spins, too
------------------------------------------------------------------------- */

void LineSearchOnPool::init()
{
  MinOnPool::init();
  if (linestyle != BACKTRACK && linestyle != QUADRATIC && linestyle != FORCEZERO)
    error->all(FLERR,
               "Min_style {} has no line search for spins; use min_modify line backtrack, "
               "quadratic or forcezero",
               update->minimize_style);
}

/* ----------------------------------------------------------------------
   FixMinimize takes its first vector for x0 of atoms
------------------------------------------------------------------------- */

void LineSearchOnPool::setup_style()
{
  constexpr int NVECTORS = 3;    // x0, g, h
  for (int k = 0; k < NVECTORS; k++) fix_minimize->add_vector(3);
  for (int m = 0; m < nextra_atom; m++)
    for (int k = 0; k < NVECTORS; k++) fix_minimize->add_vector(extra_peratom[m]);
  gextra.assign(nextra_global, 0.0);
  hextra.assign(nextra_global, 0.0);
}

/* ---------------------------------------------------------------------- */

void LineSearchOnPool::reset_vectors()
{
  MinOnPool::reset_vectors();
  int k = 0;
  for (MinVectors &kind : vectors) {
    kind.x0 = fix_minimize->request_vector(k++);
    kind.g = fix_minimize->request_vector(k++);
    kind.h = fix_minimize->request_vector(k++);
  }
}

/* ---------------------------------------------------------------------- */

void LineSearchOnPool::reset_direction()
{
  for_vectors([](const MinVectors &all, int n) { std::copy_n(all.f, n, all.h); });
  for (int k = 0; k < nextra_global; k++) hextra[k] = fextra[k];
}

/* ---------------------------------------------------------------------- */

int LineSearchOnPool::search_line()
{
  eprevious = ecurrent;
  Line line{};
  const int fail = begin_line(line);
  if (fail) return fail;
  if (linestyle == BACKTRACK) return backtrack(line);
  if (linestyle == QUADRATIC) return search_quadratic(line);
  return search_zero_of_force(line);
}

/* ----------------------------------------------------------------------
   one pass: x0 of a line that is not searched is not read
------------------------------------------------------------------------- */

int LineSearchOnPool::begin_line(Line &line)
{
  line.energy = ecurrent;
  double sum = 0.0;
  std::vector<double> most_h;
  for (const MinVectors &kind : vectors) {
    const auto of_atoms = [&](int first, int last) {
      const MinVectors some = kind.from(first);
      const int n = kind.size * (last - first);
      std::copy_n(some.x, n, some.x0);
      return std::array<double, 2>{dot_product(some.f, some.h, n), largest_magnitude(some.h, n)};
    };
    const auto [product, largest] = sum_and_largest_over_atoms(threadpool, natoms(), of_atoms);
    sum += product;
    most_h.push_back(largest);
  }

  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, world);
  for (int k = 0; k < nextra_global; k++) sum += fextra[k] * hextra[k];
  line.slope = normalized(sum);
  if (!(line.slope > 0.0)) return DOWNHILL;    // NaN, too: LAMMPS would search on and on

  MPI_Allreduce(MPI_IN_PLACE, most_h.data(), static_cast<int>(most_h.size()), MPI_DOUBLE, MPI_MAX,
                world);
  line.most_h = *std::max_element(most_h.begin(), most_h.end());
  for (const double number : hextra) line.most_h = std::max(line.most_h, std::fabs(number));
  if (line.most_h == 0.0) return ZEROFORCE;

  line.most_alpha = nextra_global ? modify->max_alpha(hextra.data()) : HUGE_VAL;
  for (std::size_t m = 0; m < vectors.size(); m++)
    line.most_alpha = std::min(line.most_alpha, vectors[m].most / most_h[m]);

  fix_minimize->store_box();
  if (nextra_global) modify->min_store();
  return FOUND;
}

/* ----------------------------------------------------------------------
   of the energy along h, downwards: forces times h
------------------------------------------------------------------------- */

double LineSearchOnPool::slope()
{
  return normalized(forces_times(&MinVectors::h, hextra.data()));
}

/* ---------------------------------------------------------------------- */

double LineSearchOnPool::normalized(double sum) const
{
  return output->thermo->normflag ? sum / static_cast<double>(atom->natoms) : sum;
}

/* ----------------------------------------------------------------------
   energy at x0 + alpha h.  A box that goes along carries atoms from x0 first
------------------------------------------------------------------------- */

double LineSearchOnPool::step_to(double alpha, int resetflag)
{
  const auto move = [this](double by, bool from_x0) {
    for_vectors([=](const MinVectors &all, int n) {
      if (from_x0 && by == 0.0)
        std::copy_n(all.x0, n, all.x);
      else
        combine_vectors(1.0, from_x0 ? all.x0 : all.x, by, all.h, all.x, n);
    });
  };
  if (nextra_global) {
    modify->min_step(0.0, hextra.data());
    move(0.0, true);
    if (alpha > 0.0) {
      modify->min_step(alpha, hextra.data());
      move(alpha, false);
    }
  } else {
    move(alpha, true);
  }
  for (int m = 0; m < nextra_atom; m++) requestor[m]->min_x_set(m);
  neval++;
  return energy_force(resetflag);
}

/* ---------------------------------------------------------------------- */

int LineSearchOnPool::accept()
{
  if (nextra_global && modify->min_reset_ref()) ecurrent = energy_force(1);
  return FOUND;
}

/* ---------------------------------------------------------------------- */

int LineSearchOnPool::go_back(int reason)
{
  ecurrent = step_to(0.0, 0);
  return reason;
}

/* ----------------------------------------------------------------------
   min_modify line backtrack: shorter and shorter steps, until the energy is lower
   by a part of what the slope promises
------------------------------------------------------------------------- */

int LineSearchOnPool::backtrack(const Line &line)
{
  double &alpha = alpha_final;
  alpha = std::min(ALPHA_MAX, line.most_alpha);
  while (true) {
    ecurrent = step_to(alpha, 1);
    const double wanted = -BACKTRACK_SLOPE * alpha * line.slope, change = ecurrent - line.energy;
    if (change <= wanted) return accept();
    alpha *= ALPHA_REDUCE;
    if (alpha <= 0.0 || wanted >= -EMACH) return go_back(change < 0.0 ? ETOL : ZEROALPHA);
  }
}

/* ----------------------------------------------------------------------
   min_modify line quadratic: backtracks, too, until energies are those of a parabola
   through the slopes here and one step earlier, and goes to its lowest point
------------------------------------------------------------------------- */

int LineSearchOnPool::search_quadratic(const Line &line)
{
  double &alpha = alpha_final;
  const double most_alpha = std::min(ALPHA_MAX, line.most_alpha);
  double alpha_before = 0.0, slope_before = line.slope, energy_before = line.energy;
  alpha = most_alpha;
  while (true) {
    ecurrent = step_to(alpha, 1);
    const double slope_here = slope(), bend = slope_here - slope_before;
    if (std::fabs(slope_here) < EPS_QUAD || std::fabs(bend) < EPS_QUAD) return go_back(ZEROQUAD);

    const double step = alpha - alpha_before, lowest = alpha - step * slope_here / bend;
    const double error =
        std::fabs(1.0 - (0.5 * step * (slope_here + slope_before) + ecurrent) / energy_before);
    if (error <= QUADRATIC_TOL && lowest > 0.0 && lowest < most_alpha) {
      ecurrent = step_to(lowest, 1);
      if (ecurrent - line.energy < EMACH) return accept();
    }

    const double wanted = -BACKTRACK_SLOPE * alpha * line.slope;
    if (ecurrent - line.energy <= wanted) return accept();

    alpha_before = alpha;
    slope_before = slope_here;
    energy_before = ecurrent;
    alpha *= ALPHA_REDUCE;
    if (alpha <= 0.0 || wanted >= -EMACH) return go_back(ZEROALPHA);
  }
}

/* ----------------------------------------------------------------------
   min_modify line forcezero: steps forward until the slope is small, as long as
   the energy does not increase; steps are where straight lines through slopes
   have their zero
------------------------------------------------------------------------- */

int LineSearchOnPool::search_zero_of_force(const Line &line)
{
  constexpr double FIRST_DECREASE = 0.1;     // of the energy, by the slope, in the first step
  constexpr double FIRST_PART = 0.5;         // of the largest alpha that it may take at most
  constexpr double GRAD_TOL = 0.1;           // part of the first slope that is small
  constexpr double MOST_INCREASE = 1e-12;    // of the energy
  constexpr double SHORTER = 0.1;            // factor of a step that has increased the energy
  constexpr double MOST_LONGER = 4.0;        // factor of the next step
  constexpr double LEAST_MOVE = 1e-14;

  double &alpha = alpha_final;
  alpha = 0.0;
  double step = std::min(std::max(EPS_QUAD, FIRST_DECREASE * std::fabs(line.energy) / line.slope),
                         FIRST_PART * line.most_alpha);
  double energy_here = line.energy, slope_here = line.slope;
  while (alpha + step <= line.most_alpha) {
    const double energy = step_to(alpha + step, 1), slope_there = slope();
    ecurrent = energy;
    const bool higher = energy - energy_here >= MOST_INCREASE;
    if (!higher && std::fabs(slope_there / line.slope) <= GRAD_TOL) {
      alpha += step;
      return accept();
    }
    if (higher || slope_there < 0.0) {    // back: the next step is from here
      step *= slope_there < 0.0 ? slope_here / (slope_here - slope_there) : SHORTER;
      ecurrent = energy_here;
      if (line.most_h * step <= LEAST_MOVE) {
        ecurrent = step_to(0.0, 1);
        return ZEROALPHA;
      }
    } else {
      alpha += step;
      step *= slope_here > slope_there
          ? std::min(slope_there / (slope_here - slope_there), MOST_LONGER)
          : MOST_LONGER;
      energy_here = energy;
      slope_here = slope_there;
    }
  }
  return accept();
}
