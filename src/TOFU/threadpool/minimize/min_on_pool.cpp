// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "min_on_pool.h"

#include "threadpool/step/clear_forces.h"
#include "threadpool/step/rebuild_lists.h"

#include "kernels/motion/flat_vectors.h"
#include "lammps/styles/minimizer_name.h"

#include "angle.h"
#include "atom.h"
#include "atom_vec.h"
#include "bond.h"
#include "comm.h"
#include "compute.h"
#include "dihedral.h"
#include "domain.h"
#include "error.h"
#include "fix_minimize.h"
#include "force.h"
#include "improper.h"
#include "kspace.h"
#include "modify.h"
#include "neighbor.h"
#include "output.h"
#include "pair.h"
#include "thermo.h"
#include "timer.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <mpi.h>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

// energies smaller than this do not count for the tolerance, which is relative

static constexpr double EPS_ENERGY = 1.0e-8;

/* ---------------------------------------------------------------------- */

void MinOnPool::init()
{
  name_minimizer(lmp, "/threadpool");
  Min::init();
  threadpool = RankPool::of(lmp);
}

/* ---------------------------------------------------------------------- */

void MinOnPool::setup(int flag)
{
  Min::setup(flag);
  check.hold();
}

/* ---------------------------------------------------------------------- */

void MinOnPool::setup_minimal(int flag)
{
  Min::setup_minimal(flag);
  if (flag) check.hold();
}

/* ---------------------------------------------------------------------- */

int MinOnPool::natoms() const
{
  return atom->nlocal;
}

/* ----------------------------------------------------------------------
   after atoms have gone to other ranks
------------------------------------------------------------------------- */

void MinOnPool::reset_vectors()
{
  nvec = 3 * atom->nlocal;
  if (nvec) {
    xvec = atom->x[0];
    fvec = atom->f[0];
  }
  vectors = {{3, dmax, xvec, fvec, nullptr, nullptr, nullptr}};
  for (int m = 0; m < nextra_atom; m++) {
    extra_nlen[m] = extra_peratom[m] * atom->nlocal;
    requestor[m]->min_xf_pointers(m, &xextra_atom[m], &fextra_atom[m]);
    vectors.push_back({extra_peratom[m], extra_max[m], xextra_atom[m], fextra_atom[m], nullptr,
                       nullptr, nullptr});
  }
}

/* ---------------------------------------------------------------------- */

double MinOnPool::energy_force(int resetflag)
{
  const bool built = move_ghosts_or_rebuild();
  ev_set(update->ntimestep);
  force_clear();
  timer->stamp();
  compute_forces();
  const double energy = potential_energy();
  if (built) {
    if (resetflag) fix_minimize->reset_coords();
    reset_vectors();
  }
  return energy;
}

/* ----------------------------------------------------------------------
   \return   whether lists were built, and atoms may have other places
------------------------------------------------------------------------- */

bool MinOnPool::move_ghosts_or_rebuild()
{
  if (check.decide(threadpool) == NeighborCheck::Lists::OLD) {
    rebuild_lists(lmp, threadpool, check, LoopKind::MINIMIZATION);
    return true;
  }
  timer->stamp();
  comm->forward_comm();
  timer->stamp(Timer::COMM);
  return false;
}

/* ---------------------------------------------------------------------- */

void MinOnPool::compute_forces()
{
  if (modify->n_min_pre_force) {
    modify->min_pre_force(vflag);
    timer->stamp(Timer::MODIFY);
  }
  if (pair_compute_flag) {
    force->pair->compute(eflag, vflag);
    timer->stamp(Timer::PAIR);
  }
  if (atom->molecular != Atom::ATOMIC) {
    if (force->bond) force->bond->compute(eflag, vflag);
    if (force->angle) force->angle->compute(eflag, vflag);
    if (force->dihedral) force->dihedral->compute(eflag, vflag);
    if (force->improper) force->improper->compute(eflag, vflag);
    timer->stamp(Timer::BOND);
  }
  if (kspace_compute_flag) {
    force->kspace->compute(eflag, vflag);
    timer->stamp(Timer::KSPACE);
  }
  if (modify->n_min_pre_reverse) {
    modify->min_pre_reverse(eflag, vflag);
    timer->stamp(Timer::MODIFY);
  }
  if (force->newton) {
    comm->reverse_comm();
    timer->stamp(Timer::COMM);
  }
  for (int m = 0; m < nextra_atom; m++) requestor[m]->min_xf_get(m);
  if (modify->n_min_post_force) {
    timer->stamp();
    modify->min_post_force(vflag);
    timer->stamp(Timer::MODIFY);
  }
}

/* ---------------------------------------------------------------------- */

double MinOnPool::potential_energy()
{
  double energy = pe_compute->compute_scalar();
  if (nextra_global) energy += modify->min_energy(fextra);
  if (output->thermo->normflag) energy /= static_cast<double>(atom->natoms);
  return energy;
}

/* ---------------------------------------------------------------------- */

void MinOnPool::force_clear()
{
  if (!threadpool || external_force_clear || extraflag) {
    Min::force_clear();
    return;
  }
  clear_forces_on_pool(threadpool, atom, torqueflag, atom->nlocal,
                       force->newton ? atom->nghost : 0);
}

/* ---------------------------------------------------------------------- */

double MinOnPool::forces_times(double *MinVectors::*vector, const double *of_box)
{
  double sum = sum_over_vectors<1>([vector](const MinVectors &all, int n) {
    return std::array<double, 1>{dot_product(all.f, all.*vector, n)};
  })[0];
  for (int k = 0; k < nextra_global; k++) sum += fextra[k] * of_box[k];
  return sum;
}

/* ---------------------------------------------------------------------- */

double MinOnPool::fnorm_sqr()
{
  return forces_times(&MinVectors::f, fextra);
}

/* ----------------------------------------------------------------------
   of what largest(vectors, n) returns for some atoms, squares of forces, with that of
   each step-th force of the box
------------------------------------------------------------------------- */

template <class Largest> double MinOnPool::largest_over_ranks(const Largest &largest, int step)
{
  double mine = 0.0, all = 0.0;
  for (const MinVectors &kind : vectors) {
    const auto of_atoms = [&](int first, int last) {
      return largest(kind.from(first), kind.size * (last - first));
    };
    mine = std::max(mine, largest_over_atoms(threadpool, natoms(), of_atoms));
  }
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, world);
  for (int k = 0; k < nextra_global; k += step) all = std::max(all, fextra[k] * fextra[k]);
  return all;
}

/* ---------------------------------------------------------------------- */

double MinOnPool::fnorm_inf()
{
  return largest_over_ranks(
      [](const MinVectors &all, int n) {
        const double largest = largest_magnitude(all.f, n);
        return largest * largest;
      },
      1);
}

/* ----------------------------------------------------------------------
   of an atom.  LAMMPS takes each third force of the box
------------------------------------------------------------------------- */

double MinOnPool::fnorm_max()
{
  return largest_over_ranks(
      [](const MinVectors &all, int n) {
        double largest = 0.0;
        for (int first = 0; first < n; first += all.size) {
          double square = 0.0;
          for (int k = first; k < first + all.size; k++) square += all.f[k] * all.f[k];
          largest = std::max(largest, square);
        }
        return largest;
      },
      3);
}

/* ---------------------------------------------------------------------- */

bool MinOnPool::begin_iteration()
{
  if (timer->check_timeout(niter)) return false;
  ++update->ntimestep;
  niter++;
  return true;
}

/* ---------------------------------------------------------------------- */

bool MinOnPool::energy_stays() const
{
  return std::fabs(ecurrent - eprevious) <
      update->etol * 0.5 * (std::fabs(ecurrent) + std::fabs(eprevious) + EPS_ENERGY);
}

/* ---------------------------------------------------------------------- */

bool MinOnPool::forces_are_small()
{
  if (!(update->ftol > 0.0)) return false;
  const double norm = normstyle == MAX ? fnorm_max() : normstyle == INF ? fnorm_inf() : fnorm_sqr();
  return norm < update->ftol * update->ftol;
}

/* ---------------------------------------------------------------------- */

void MinOnPool::write_output()
{
  if (output->next != update->ntimestep) return;
  timer->stamp();
  output->write(update->ntimestep);
  timer->stamp(Timer::OUTPUT);
}
