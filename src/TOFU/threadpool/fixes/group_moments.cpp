// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "group_moments.h"

#include "fix_calls.h"

#include "atom.h"
#include "group.h"
#include "lammps.h"

using namespace LAMMPS_NS;

using Vector = GroupMoments::Vector;

GroupMoments::GroupMoments(LAMMPS *lmp_in, RankPool *threadpool, int groupbit) :
    lmp(lmp_in), loops(lmp_in, threadpool, groupbit), masses(lmp_in->atom)
{
}

/* ----------------------------------------------------------------------
   work(i, mass, sums) adds the N numbers of an atom
------------------------------------------------------------------------- */

template <int N, class Work> std::array<double, N> GroupMoments::sum(const Work &work) const
{
  const auto mine = loops.sum<N>(
      [work, mass = masses](int i, std::array<double, N> &sums) { work(i, mass[i], sums); });
  std::array<double, N> all;
  sum_over_ranks(lmp, N, mine.data(), all.data());
  return all;
}

static Vector divided(Vector sums, double mass)
{
  if (mass > 0.0)
    for (double &number : sums) number /= mass;
  return sums;
}

/* ---------------------------------------------------------------------- */

double GroupMoments::mass() const
{
  return sum<1>([](int, double mass, auto &sums) { sums[0] += mass; })[0];
}

/* ---------------------------------------------------------------------- */

Vector GroupMoments::center(double mass) const
{
  const UnwrappedPositions unwrapped(lmp);
  return divided(sum<3>([=](int i, double m, auto &sums) {
                   const Vector at = unwrapped[i];
                   for (int k = 0; k < 3; k++) sums[k] += at[k] * m;
                 }),
                 mass);
}

/* ---------------------------------------------------------------------- */

Vector GroupMoments::velocity(double mass) const
{
  const AtomRows v(lmp->atom->v);
  return divided(sum<3>([=](int i, double m, auto &sums) {
                   for (int k = 0; k < 3; k++) sums[k] += v[i][k] * m;
                 }),
                 mass);
}

/* ---------------------------------------------------------------------- */

double GroupMoments::squares() const
{
  const AtomRows rows(lmp->atom->v);
  return sum<1>([=](int i, double m, auto &sums) {
    const double *const v = rows[i];
    sums[0] += m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  })[0];
}

/* ---------------------------------------------------------------------- */

std::array<double, 6> GroupMoments::gyration(const Vector &center) const
{
  const UnwrappedPositions unwrapped(lmp);
  return sum<6>([=](int i, double m, auto &sums) {
    const Vector at = unwrapped[i];
    const double dx = at[0] - center[0], dy = at[1] - center[1], dz = at[2] - center[2];
    sums[0] += dx * dx * m;
    sums[1] += dy * dy * m;
    sums[2] += dz * dz * m;
    sums[3] += dx * dy * m;
    sums[4] += dx * dz * m;
    sums[5] += dy * dz * m;
  });
}

/* ----------------------------------------------------------------------
   the moment of inertia is that of gyration() in other words
------------------------------------------------------------------------- */

Vector GroupMoments::rotation(const Vector &center) const
{
  const UnwrappedPositions unwrapped(lmp);
  const AtomRows velocities(lmp->atom->v);
  const auto sums = sum<9>([=](int i, double m, auto &sum) {
    const Vector at = unwrapped[i];
    const double *const v = velocities[i];
    const double dx = at[0] - center[0], dy = at[1] - center[1], dz = at[2] - center[2];
    sum[0] += m * (dy * v[2] - dz * v[1]);
    sum[1] += m * (dz * v[0] - dx * v[2]);
    sum[2] += m * (dx * v[1] - dy * v[0]);
    sum[3] += m * (dy * dy + dz * dz);
    sum[4] += m * (dx * dx + dz * dz);
    sum[5] += m * (dx * dx + dy * dy);
    sum[6] -= m * dx * dy;
    sum[7] -= m * dy * dz;
    sum[8] -= m * dx * dz;
  });
  double momentum[3] = {sums[0], sums[1], sums[2]};
  double inertia[3][3] = {
      {sums[3], sums[6], sums[8]}, {sums[6], sums[4], sums[7]}, {sums[8], sums[7], sums[5]}};
  Vector omega;
  lmp->group->omega(momentum, inertia, omega.data());
  return omega;
}
