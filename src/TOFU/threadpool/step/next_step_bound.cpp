// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "next_step_bound.h"

#include "threadpool/pool/fix_on_pool.h"
#include "threadpool/pool/step_sums.h"

#include "atom.h"
#include "domain.h"
#include "neighbor.h"
#include "update.h"

#include <algorithm>
#include <array>
#include <cmath>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

// by what the next step may differ from the move that is foreseen at the end of this one: logarithm
// of a factor of velocities, and part of the skin that corners of the box move

static constexpr double MOST_FACTOR = 0.01, MOST_CLOSER = 0.005;

/* ---------------------------------------------------------------------- */

NextStepBound::NextStepBound(LAMMPS *lmp, const Displacements &displacements_in) :
    Pointers(lmp), displacements(displacements_in),
    ranks_that_pass(
        RankSum::Of::FORCES, 1, [this](double *part) { *part = may_pass(); },
        [this](const double *nranks) {
          none_passes_in = *nranks > 0.0 ? -1 : update->ntimestep + 1;
        })
{
}

/* ---------------------------------------------------------------------- */

void NextStepBound::begin_run(RankPool *threadpool)
{
  rank_pool = threadpool;
  none_passes_in = -1;
}

/* ---------------------------------------------------------------------- */

void NextStepBound::request()
{
  rank_pool->sums().join_last_requests(ranks_that_pass);
}

/* ---------------------------------------------------------------------- */

bool NextStepBound::holds() const
{
  return none_passes_in == update->ntimestep && update->dt == dt_then &&
      rank_pool->sums().largest_change() <= MOST_FACTOR &&
      (!domain->box_change ||
       BoxCorners(domain).moved_since(corners_then) <= MOST_CLOSER * neighbor->skin);
}

/* ----------------------------------------------------------------------
   of this rank, by the forces of atoms, as far as holds() will be true.  An atom is
   carried by no more than twice what corners move; the limit comes closer by half of
   that
------------------------------------------------------------------------- */

bool NextStepBound::may_pass()
{
  corners_then = BoxCorners(domain);
  dt_then = update->dt;
  StepSums &sums = rank_pool->sums();
  sums.forget_factors();
  const StepSums::NextMove next = *sums.next_move();
  const double *const *const x = atom->x, *const *const v = atom->v, *const *const f = atom->f;
  const double(*const hold)[3] = reinterpret_cast<const double(*)[3]>(neighbor->get_xhold()[0]);
  const auto largest = collect_over_atoms<2>(
      rank_pool, displacements.natoms(),
      [&](int first, int last) {
        std::array<double, 2> some{};    // squares of a distance and of a speed
        for (int i = first; i < last; i++) {
          const double per_mass =
              next.dtf / (atom->rmass ? atom->rmass[i] : atom->mass[atom->type[i]]);
          double now = 0.0, then = 0.0, speed = 0.0;
          for (int k = 0; k < 3; k++) {
            const double from = x[i][k] - hold[i][k];
            const double to = from + next.dtv * (v[i][k] + per_mass * f[i][k]);
            now += from * from;
            then += to * to;
            speed += v[i][k] * v[i][k];
          }
          some = {std::max({some[0], now, then}), std::max(some[1], speed)};
        }
        return some;
      },
      [](auto &all, const auto &some) {
        all = {std::max(all[0], some[0]), std::max(all[1], some[1])};
      });
  const double farther = std::expm1(MOST_FACTOR) * next.dtv * std::sqrt(largest[1]),
               closer = domain->box_change ? 2.5 * MOST_CLOSER * neighbor->skin : 0.0;
  return !(std::sqrt(largest[0]) + farther + closer <= (1.0 - 1e-9) * displacements.limit());
}
