// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "group_on_pool.h"

#include "threadpool/pool/masses_of.h"

#include "kernels/motion/atom_motion.h"
#include "lammps/scoped_state.h"
#include "lammps/styles/style_table.h"

#include "atom.h"
#include "compute.h"
#include "domain.h"
#include "lammps.h"

#include "base/prefetch.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

static constexpr int BLOCK = 64;    // atoms, whose values stay in the first cache

/* ---------------------------------------------------------------------- */

GroupOnPool::GroupOnPool(LAMMPS *lmp, RankPool *rank_pool, int igroup, int bit) :
    Pointers(lmp), threadpool(rank_pool),
    natoms(igroup == atom->firstgroup ? atom->nfirst : atom->nlocal), groupbit(bit),
    loops(lmp, rank_pool, bit)
{
}

/* ----------------------------------------------------------------------
   [natoms][3] numbers; a rank that never had an atom has none
------------------------------------------------------------------------- */

static double *numbers(double **rows)
{
  return rows ? rows[0] : nullptr;
}

/* ---------------------------------------------------------------------- */

void GroupOnPool::integrate(Factor dtf, Factor dtv, Factor turn) const
{
  double *const x = dtv ? numbers(atom->x) : nullptr, *const v = numbers(atom->v),
                *const f = dtf ? numbers(atom->f) : nullptr,
                *const omega = turn ? numbers(atom->omega) : nullptr,
                *const torque = turn ? numbers(atom->torque) : nullptr;
  const AtomMasses all = masses_of(atom, groupbit);
  for_atoms(threadpool, natoms, [&](int begin, int end) {
    // other parts have read positions; their cache lines are requested a block ahead

    const auto prefetch_positions = [&](int from) {
      const int n = 3 * std::max(0, std::min(BLOCK, end - from));
      if (x) prefetch_for_writing(x + 3 * static_cast<std::size_t>(from), n);
    };
    prefetch_positions(begin);
    for (int first = begin; first < end; first += BLOCK) {
      const int last = std::min(first + BLOCK, end);
      prefetch_positions(last);
      const std::size_t value = 3 * static_cast<std::size_t>(first);
      const AtomMasses masses = all.part(first, last);
      kick_and_move_atoms(masses, dtf.value_or(0.0), f ? f + value : nullptr, v + value,
                          dtv.value_or(0.0), x ? x + value : nullptr);
      if (turn) turn_atoms(masses, *turn, atom->radius + first, torque + value, omega + value);
    }
  });
}

/* ---------------------------------------------------------------------- */

int GroupOnPool::integrate_limited(double dtf, Factor dtv, double vsq_limit) const
{
  double *const x = dtv ? numbers(atom->x) : nullptr, *const v = numbers(atom->v);
  const double *const f = numbers(atom->f), *const rmass = atom->rmass, *const mass = atom->mass;
  const int *const type = atom->type;
  const double time = dtv.value_or(0.0);
  const auto nlimited = loops.sum<1>([=](int i, std::array<double, 1> &n) {
    const double dtfm = dtf / (rmass ? rmass[i] : mass[type[i]]);
    double *const vi = v + 3 * i;
    for (int k = 0; k < 3; k++) vi[k] += dtfm * f[3 * i + k];
    const double vsq = vi[0] * vi[0] + vi[1] * vi[1] + vi[2] * vi[2];
    if (vsq > vsq_limit) {
      n[0]++;
      const double scale = sqrt(vsq_limit / vsq);
      for (int k = 0; k < 3; k++) vi[k] *= scale;
    }
    if (x)
      for (int k = 0; k < 3; k++) x[3 * i + k] += time * vi[k];
  });
  return static_cast<int>(nlimited[0]);
}

/* ----------------------------------------------------------------------
   temperatures that keep a bias in themselves have it for one atom at a time
------------------------------------------------------------------------- */

template <class Work> void GroupOnPool::for_velocities(Compute *bias, const Work &work) const
{
  double *const velocities = numbers(atom->v);
  const auto velocity = [=](int i) {
    return velocities + 3 * static_cast<std::size_t>(i);
  };
  if (!bias) {
    loops.map([work, velocity](int i) { work(velocity(i), velocity(i)); });
  } else if (compute_traits(bias->style) & BIAS_OF_ANY_THREAD) {
    loops.map([&](int i) {
      double *const v = velocity(i), removed[3], whole[3] = {v[0], v[1], v[2]};
      bias->remove_bias_thr(i, v, removed);
      work(v, whole);
      bias->restore_bias_thr(i, v, removed);
    });
  } else {
    for (int i = 0; i < natoms; i++) {
      if (!(atom->mask[i] & groupbit)) continue;
      double *const v = velocity(i), whole[3] = {v[0], v[1], v[2]};
      bias->remove_bias(i, v);
      work(v, whole);
      bias->restore_bias(i, v);
    }
  }
}

/* ---------------------------------------------------------------------- */

void GroupOnPool::change(const VelocityWork &work, Compute *bias) const
{
  for_velocities(bias, work);
}

/* ---------------------------------------------------------------------- */

void GroupOnPool::scale(double factor, Compute *bias) const
{
  for_velocities(bias, [factor](double *v, const double *) {
    for (int k = 0; k < 3; k++) v[k] *= factor;
  });
}

/* ---------------------------------------------------------------------- */

void GroupOnPool::scale_and_shear(const double *factors, const double *shear, Compute *bias) const
{
  for_velocities(bias, [factors, shear](double *v, const double *) {
    for (int k = 0; k < 3; k++) v[k] *= factors[k];
    if (shear) {
      v[0] += shear[2] * v[1] + shear[1] * v[2];
      v[1] += shear[0] * v[2];
    }
    for (int k = 0; k < 3; k++) v[k] *= factors[k];
  });
}

/* ---------------------------------------------------------------------- */

double GroupOnPool::pull(const double *acceleration) const
{
  double *const x = numbers(atom->x), *const f = numbers(atom->f);
  const AtomMasses masses = masses_of(atom, groupbit);
  return sum_over_atoms<1>(threadpool, natoms, [&](int first, int last) {
    const std::size_t value = 3 * static_cast<std::size_t>(first);
    return std::array<double, 1>{
        0.0 - pull_atoms(masses.part(first, last), acceleration, x + value, f + value)};
  })[0];
}

/* ---------------------------------------------------------------------- */

std::array<double, 3> GroupOnPool::freeze() const
{
  double *const f = numbers(atom->f), *const torque = numbers(atom->torque);
  return loops.sum<3>([=](int i, std::array<double, 3> &sum) {
    for (int k = 0; k < 3; k++) {
      sum[k] += f[3 * i + k];
      f[3 * i + k] = torque[3 * i + k] = 0.0;
    }
  });
}

/* ---------------------------------------------------------------------- */

void LAMMPS_NS::remap_on_pool(LAMMPS *lmp, RankPool *threadpool, int &allremap, int &group_bit,
                              const std::function<void()> &remap)
{
  const Domain *const domain = lmp->domain;
  double h_inv[6], boxlo[3];    // of the box before
  std::copy_n(domain->h_inv, 6, h_inv);
  std::copy_n(domain->boxlo, 3, boxlo);
  {
    const ScopedRemap of_no_atoms(allremap, group_bit);
    remap();
  }

  double h[6], lo[3];    // copies, which no store to a position can change
  std::copy_n(domain->h, 6, h);
  std::copy_n(domain->boxlo, 3, lo);
  const auto move = [=](double *x) {
    const double dx = x[0] - boxlo[0], dy = x[1] - boxlo[1], dz = x[2] - boxlo[2];
    const double lamda[3] = {h_inv[0] * dx + h_inv[5] * dy + h_inv[4] * dz,
                             h_inv[1] * dy + h_inv[3] * dz, h_inv[2] * dz};
    x[0] = h[0] * lamda[0] + h[5] * lamda[1] + h[4] * lamda[2] + lo[0];
    x[1] = h[1] * lamda[1] + h[3] * lamda[2] + lo[1];
    x[2] = h[2] * lamda[2] + lo[2];
  };
  const AtomRows positions(lmp->atom->x);
  if (allremap)
    for_atoms(threadpool, lmp->atom->nlocal, [&](int first, int last) {
      const auto own = move;
      for (int i = first; i < last; i++) own(positions[i]);
    });
  else
    GroupLoops(lmp, threadpool, group_bit).map([=](int i) { move(positions[i]); });
}
