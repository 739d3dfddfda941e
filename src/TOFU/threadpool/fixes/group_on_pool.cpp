// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "group_on_pool.h"

#include "threadpool/pool/fix_on_pool.h"
#include "threadpool/pool/masses_of.h"

#include "kernels/motion/atom_motion.h"
#include "lammps/styles/style_table.h"

#include "atom.h"
#include "compute.h"
#include "domain.h"

#include "base/prefetch.h"

#include <algorithm>
#include <cstddef>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr int BLOCK = 64;    // atoms, whose values stay in the first cache

/* ---------------------------------------------------------------------- */

GroupOnPool::GroupOnPool(LAMMPS *lmp, RankPool *rank_pool, int igroup, int bit) :
    Pointers(lmp), threadpool(rank_pool),
    natoms(igroup == atom->firstgroup ? atom->nfirst : atom->nlocal), groupbit(bit)
{
}

/* ---------------------------------------------------------------------- */

template <bool KICK, bool MOVE, bool TURN>
void GroupOnPool::integrate(double dtf, double dtv, double inertia)
{
  if (natoms == 0) return;
  double *const x = atom->x[0], *const v = atom->v[0];
  const double *const f = atom->f[0];
  double *const omega = TURN ? atom->omega[0] : nullptr;
  const double *const torque = TURN ? atom->torque[0] : nullptr, *const radius = atom->radius;

  const AtomMasses all = masses_of(atom, groupbit);
  for_atoms(threadpool, natoms, [&](int begin, int end) {
    // other parts have read positions; their cache lines are requested a block ahead

    const auto prefetch_positions = [&](int from) {
      const int n = 3 * std::max(0, std::min(BLOCK, end - from));
      if (MOVE) prefetch_for_writing(x + 3 * static_cast<std::size_t>(from), n);
    };
    prefetch_positions(begin);
    for (int first = begin; first < end; first += BLOCK) {
      const int last = std::min(first + BLOCK, end);
      prefetch_positions(last);
      const std::size_t value = 3 * static_cast<std::size_t>(first);
      const AtomMasses masses = all.part(first, last);
      kick_and_move_atoms(masses, dtf, KICK ? f + value : nullptr, v + value, dtv,
                          MOVE ? x + value : nullptr);
      if (TURN) turn_atoms(masses, dtf / inertia, radius + first, torque + value, omega + value);
    }
  });
}

/* ---------------------------------------------------------------------- */

void GroupOnPool::kick(double dtf)
{
  integrate<true, false>(dtf, 0.0);
}

/* ---------------------------------------------------------------------- */

void GroupOnPool::move(double dtv)
{
  integrate<false, true>(0.0, dtv);
}

/* ---------------------------------------------------------------------- */

void GroupOnPool::kick_and_move(double dtf, double dtv)
{
  integrate<true, true>(dtf, dtv);
}

/* ---------------------------------------------------------------------- */

void GroupOnPool::kick_and_turn(double dtf, double inertia)
{
  integrate<true, false, true>(dtf, 0.0, inertia);
}

/* ---------------------------------------------------------------------- */

void GroupOnPool::kick_move_and_turn(double dtf, double dtv, double inertia)
{
  integrate<true, true, true>(dtf, dtv, inertia);
}

/* ---------------------------------------------------------------------- */

void GroupOnPool::scale(double factor)
{
  if (natoms == 0) return;
  double *const v = atom->v[0];
  const int *const mask = atom->mask;
  for_atoms(threadpool, natoms, [&](int first, int last) {
    for (int i = first; i < last; i++)
      if (mask[i] & groupbit)
        for (int k = 3 * i; k < 3 * i + 3; k++) v[k] *= factor;
  });
}

/* ---------------------------------------------------------------------- */

static void scale_and_shear_one(double *v, const double *factors, const double *shear)
{
  for (int k = 0; k < 3; k++) v[k] *= factors[k];
  if (shear) {
    v[0] += shear[2] * v[1] + shear[1] * v[2];
    v[1] += shear[0] * v[2];
  }
  for (int k = 0; k < 3; k++) v[k] *= factors[k];
}

/* ---------------------------------------------------------------------- */

void GroupOnPool::scale_and_shear(const double *factors, const double *shear)
{
  if (natoms == 0) return;
  double *const velocities = atom->v[0];
  const int *const mask = atom->mask;
  for_atoms(threadpool, natoms, [&](int first, int last) {
    for (int i = first; i < last; i++)
      if (mask[i] & groupbit) scale_and_shear_one(velocities + 3 * i, factors, shear);
  });
}

/* ----------------------------------------------------------------------
   temperatures that keep a bias in themselves have it for one atom at a time
------------------------------------------------------------------------- */

template <class Work> void GroupOnPool::for_thermal(Compute *temperature, const Work &work)
{
  if (natoms == 0) return;
  double *const velocities = atom->v[0];
  const int *const mask = atom->mask;
  if (!(compute_traits(temperature->style) & BIAS_OF_ANY_THREAD)) {
    for (int i = 0; i < natoms; i++) {
      if (!(mask[i] & groupbit)) continue;
      double *const v = velocities + 3 * static_cast<std::size_t>(i);
      const double whole[3] = {v[0], v[1], v[2]};
      temperature->remove_bias(i, v);
      work(v, whole);
      temperature->restore_bias(i, v);
    }
    return;
  }
  for_atoms(threadpool, natoms, [&](int first, int last) {
    double bias[3];
    for (int i = first; i < last; i++) {
      if (!(mask[i] & groupbit)) continue;
      double *const v = velocities + 3 * static_cast<std::size_t>(i);
      const double whole[3] = {v[0], v[1], v[2]};
      temperature->remove_bias_thr(i, v, bias);
      work(v, whole);
      temperature->restore_bias_thr(i, v, bias);
    }
  });
}

/* ---------------------------------------------------------------------- */

void GroupOnPool::change_thermal(Compute *temperature, const ThermalWork &work)
{
  for_thermal(temperature, work);
}

/* ---------------------------------------------------------------------- */

void GroupOnPool::scale_thermal(Compute *temperature, double factor)
{
  for_thermal(temperature, [factor](double *v, const double *) {
    for (int k = 0; k < 3; k++) v[k] *= factor;
  });
}

/* ---------------------------------------------------------------------- */

void GroupOnPool::scale_and_shear_thermal(Compute *temperature, const double *factors,
                                          const double *shear)
{
  for_thermal(temperature, [factors, shear](double *v, const double *) {
    scale_and_shear_one(v, factors, shear);
  });
}

/* ---------------------------------------------------------------------- */

BoxFrame::BoxFrame(LAMMPS *lmp) : Pointers(lmp)
{
  std::copy_n(domain->h_inv, 6, h_inv);
  std::copy_n(domain->boxlo, 3, boxlo);
}

/* ---------------------------------------------------------------------- */

void BoxFrame::carry(RankPool *threadpool, bool all, int group) const
{
  if (atom->nlocal == 0) return;
  const double *const h = domain->h, *const lo = domain->boxlo;
  double *const positions = atom->x[0];
  const int *const mask = atom->mask;

  for_atoms(threadpool, atom->nlocal, [&](int first, int last) {
    for (int i = first; i < last; i++) {
      if (!all && !(mask[i] & group)) continue;
      double *const x = positions + 3 * i;
      const double dx = x[0] - boxlo[0], dy = x[1] - boxlo[1], dz = x[2] - boxlo[2];
      const double lamda[3] = {h_inv[0] * dx + h_inv[5] * dy + h_inv[4] * dz,
                               h_inv[1] * dy + h_inv[3] * dz, h_inv[2] * dz};
      x[0] = h[0] * lamda[0] + h[5] * lamda[1] + h[4] * lamda[2] + lo[0];
      x[1] = h[1] * lamda[1] + h[3] * lamda[2] + lo[1];
      x[2] = h[2] * lamda[2] + lo[2];
    }
  });
}
