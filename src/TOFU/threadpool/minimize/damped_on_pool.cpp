// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "damped_on_pool.h"

#include "threadpool/pool/masses_of.h"

#include "atom.h"
#include "force.h"
#include "universe.h"
#include "update.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <mpi.h>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

/* ---------------------------------------------------------------------- */

void DampedOnPool::init()
{
  MinOnPool::init();
  dt = update->dt;
  last_negative = update->ntimestep;
}

/* ---------------------------------------------------------------------- */

void DampedOnPool::setup_style()
{
  stop_atoms();
}

/* ---------------------------------------------------------------------- */

DampedOnPool::Atoms DampedOnPool::owned() const
{
  return {3 * natoms(), atom->x[0], atom->v[0], atom->f[0], masses_of(atom)};
}

/* ---------------------------------------------------------------------- */

DampedOnPool::Atoms DampedOnPool::part(const Atoms &all, int first, int last)
{
  const std::size_t k = 3 * static_cast<std::size_t>(first);
  return {3 * (last - first), all.x + k, all.v + k, all.f + k, all.masses.part(first, last)};
}

/* ---------------------------------------------------------------------- */

void DampedOnPool::Atoms::kick(double time) const
{
  kick_and_move_atoms(masses, time, f, v, 0.0, nullptr);
}

/* ---------------------------------------------------------------------- */

void DampedOnPool::stop_atoms()
{
  for_blocks([](const Atoms &some) { std::fill_n(some.v, some.n, 0.0); });
}

/* ----------------------------------------------------------------------
   LAMMPS has a reduction for each
------------------------------------------------------------------------- */

DampedOnPool::Products DampedOnPool::products()
{
  std::array<double, 3> sums = sum_over_atoms<3>(threadpool, natoms(), [this](int first, int last) {
    const Atoms some = part(owned(), first, last);
    return std::array<double, 3>{dot_product(some.v, some.f, some.n),
                                 dot_product(some.v, some.v, some.n),
                                 dot_product(some.f, some.f, some.n)};
  });
  over_replicas(sums.data(), 3, Reduction::SUM);
  return {sums[0], sums[1], sums[2]};
}

/* ---------------------------------------------------------------------- */

double DampedOnPool::limited_to(double fastest)
{
  double longest = dt * fastest > dmax ? dmax / fastest : dt;
  over_replicas(&longest, 1, Reduction::LEAST);
  return longest;
}

/* ----------------------------------------------------------------------
   over the ranks of each replica first: sums are those of LAMMPS
------------------------------------------------------------------------- */

void DampedOnPool::over_replicas(double *numbers, int n, Reduction reduction) const
{
  const MPI_Op op = reduction == Reduction::SUM ? MPI_SUM : MPI_MIN;
  MPI_Allreduce(MPI_IN_PLACE, numbers, n, MPI_DOUBLE, op, world);
  if (update->multireplica == 1)
    MPI_Allreduce(MPI_IN_PLACE, numbers, n, MPI_DOUBLE, op, universe->uworld);
}

/* ---------------------------------------------------------------------- */

void DampedOnPool::evaluate()
{
  eprevious = ecurrent;
  ecurrent = energy_force(0);
  neval++;
}

/* ---------------------------------------------------------------------- */

bool DampedOnPool::has_converged(int nsteps, int &reason)
{
  const bool counts = update->etol > 0.0 && update->ntimestep - last_negative > nsteps;
  if (counts && all_replicas(energy_stays())) {
    reason = ETOL;
    return true;
  }
  if (update->ftol > 0.0 && all_replicas(forces_are_small())) {
    reason = FTOL;
    return true;
  }
  return false;
}

/* ---------------------------------------------------------------------- */

bool DampedOnPool::all_replicas(bool mine) const
{
  if (update->multireplica == 0) return mine;
  int others = mine ? 0 : 1, sum = 0;
  MPI_Allreduce(&others, &sum, 1, MPI_INT, MPI_SUM, universe->uworld);
  return sum == 0;
}
