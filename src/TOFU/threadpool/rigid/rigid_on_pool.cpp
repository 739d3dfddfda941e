// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#include "rigid_on_pool.h"

#include "threadpool/pool/atom_loops.h"

#include "atom.h"
#include "domain.h"
#include "math_extra.h"

#include <algorithm>
#include <cstddef>

using namespace LAMMPS_NS;
using namespace TOFU_NS;

namespace {

/* ----------------------------------------------------------------------
   the way from an atom in the box to its place beside the others of its body
------------------------------------------------------------------------- */

struct Unwrap {
  double h[6];

  explicit Unwrap(const Domain *domain) { std::copy_n(domain->h, 6, h); }

  void operator()(imageint image, double *way) const
  {
    const int x = static_cast<int>(image & IMGMASK) - IMGMAX,
              y = static_cast<int>(image >> IMGBITS & IMGMASK) - IMGMAX,
              z = static_cast<int>(image >> IMG2BITS) - IMGMAX;
    way[0] = h[0] * x + h[5] * y + h[4] * z;
    way[1] = h[1] * y + h[3] * z;
    way[2] = h[2] * z;
  }
};

/* ----------------------------------------------------------------------
   what atoms need of their body: values that no store to an atom can change
------------------------------------------------------------------------- */

struct Motion {
  double xcm[3], vcm[3], omega[3], ex[3], ey[3], ez[3];

  Motion(const RigidBodies &bodies, int body)
  {
    std::copy_n(bodies.xcm(body), 3, xcm);
    std::copy_n(bodies.vcm(body), 3, vcm);
    std::copy_n(bodies.omega(body), 3, omega);
    std::copy_n(bodies.ex(body), 3, ex);
    std::copy_n(bodies.ey(body), 3, ey);
    std::copy_n(bodies.ez(body), 3, ez);
  }

  // place of a member relative to the center, and its velocity

  void of_member(const double *d, double *r, double *v) const
  {
    for (int k = 0; k < 3; k++) r[k] = ex[k] * d[0] + ey[k] * d[1] + ez[k] * d[2];
    v[0] = omega[1] * r[2] - omega[2] * r[1] + vcm[0];
    v[1] = omega[2] * r[0] - omega[0] * r[2] + vcm[1];
    v[2] = omega[0] * r[1] - omega[1] * r[0] + vcm[2];
  }
};

void kick_center(const RigidBodies &bodies, int body, double dtf)
{
  const double factor = dtf / *bodies.mass(body);
  for (int k = 0; k < 3; k++) bodies.vcm(body)[k] += factor * bodies.fcm(body)[k];
}

void set_omega(const RigidBodies &b, int n)
{
  MathExtra::angmom_to_omega(b.angmom(n), b.ex(n), b.ey(n), b.ez(n), b.inertia(n), b.omega(n));
}

// half a step of velocity and angular momentum

void kick_body(const RigidBodies &bodies, int n, double dtf)
{
  kick_center(bodies, n, dtf);
  for (int k = 0; k < 3; k++) bodies.angmom(n)[k] += dtf * bodies.torque(n)[k];
  set_omega(bodies, n);
}

// the quaternion momentum's rate of change by a body's torque

void torque_on_quaternion(const RigidBodies &b, int n, double *fquat)
{
  double tbody[3];
  MathExtra::transpose_matvec(b.ex(n), b.ey(n), b.ez(n), b.torque(n), tbody);
  MathExtra::quatvec(b.quat(n), tbody, fquat);
}

// angular momentum and velocity from the quaternion's momentum

void set_turn(const RigidBodies &b, int n)
{
  double mbody[3];
  MathExtra::invquatvec(b.quat(n), b.conjqm(n), mbody);
  MathExtra::matvec(b.ex(n), b.ey(n), b.ez(n), mbody, b.angmom(n));
  for (int k = 0; k < 3; k++) b.angmom(n)[k] *= 0.5;
  set_omega(b, n);
}

}    // namespace

/* ---------------------------------------------------------------------- */

template <class Work> void RigidOnPool::for_bodies(int n, const Work &work) const
{
  for_atoms(RankPool::find(lmp), n, [&](int first, int last) {
    for (int body = first; body < last; body++) work(body);
  });
}

/* ---------------------------------------------------------------------- */

template <class Work> void RigidOnPool::for_blocks(const Work &work) const
{
  for_blocks_of_atoms(RankPool::find(lmp), body_atoms.natoms(), body_atoms.nblocks(), work);
}

/* ---------------------------------------------------------------------- */

void RigidOnPool::sort_atoms(const int *body_of_atom, int nbodies)
{
  body_atoms.sort(atom->nlocal, body_of_atom, nbodies);
}

/* ----------------------------------------------------------------------
   a body may have no atom here
------------------------------------------------------------------------- */

void RigidOnPool::sum_forces(const RigidBodies &bodies, const imageint *image, const int *turned,
                             int turned_by)
{
  for_bodies(bodies.nall, [&](int body) {
    std::fill_n(bodies.fcm(body), 3, 0.0);
    std::fill_n(bodies.torque(body), 3, 0.0);
  });
  if (body_atoms.natoms() == 0) return;

  const double *const x = atom->x[0], *const f = atom->f[0],
                      *const torque = turned && atom->torque ? atom->torque[0] : nullptr;
  const Unwrap unwrap(domain);
  for_blocks([&](int block) {
    body_atoms.of_block(block, [&](int body, const int *list, int n) {
      double center[3], force[3] = {0.0, 0.0, 0.0}, about[3] = {0.0, 0.0, 0.0};
      std::copy_n(bodies.xcm(body), 3, center);
      for (int m = 0; m < n; m++) {
        const std::size_t i = list[m];
        const double *const fi = f + 3 * i;
        double d[3];
        unwrap(image[i], d);
        for (int k = 0; k < 3; k++) {
          force[k] += fi[k];
          d[k] = x[3 * i + k] + d[k] - center[k];
        }
        about[0] += d[1] * fi[2] - d[2] * fi[1];
        about[1] += d[2] * fi[0] - d[0] * fi[2];
        about[2] += d[0] * fi[1] - d[1] * fi[0];
      }
      for (int m = 0; torque && m < n; m++)
        if (turned[list[m]] & turned_by)
          for (int k = 0; k < 3; k++) about[k] += torque[3 * static_cast<std::size_t>(list[m]) + k];
      std::copy_n(force, 3, bodies.fcm(body));
      std::copy_n(about, 3, bodies.torque(body));
    });
  });
}

/* ---------------------------------------------------------------------- */

template <bool PLACE, bool VIRIAL>
void RigidOnPool::set_all(const RigidBodies &bodies, const Members &members)
{
  double *const x = atom->x[0], *const v = atom->v[0];
  const double *const f = atom->f[0], *const rmass = atom->rmass, *const mass = atom->mass;
  const int *const type = atom->type;
  const bool flat = domain->dimension == 2;
  const double per_step = 0.5 / members.dtf;
  const Unwrap unwrap(domain);

  for_blocks([&](int block) {
    std::array<double, 6> sum{};
    body_atoms.of_block(block, [&](int body, const int *list, int n) {
      const Motion motion(bodies, body);
      for (int m = 0; m < n; m++) {
        const std::size_t i = list[m];
        double *const xi = x + 3 * i, *const vi = v + 3 * i;
        double r[3], velocity[3], way[3];
        motion.of_member(members.displace[0] + 3 * i, r, velocity);
        if (flat) r[2] = velocity[2] = 0.0;
        if (PLACE || VIRIAL) unwrap(members.image[i], way);
        if (VIRIAL) {
          const double scale = (rmass ? rmass[i] : mass[type[i]]) * per_step;
          double at[3], held[3];
          for (int k = 0; k < 3; k++) {
            at[k] = xi[k] + way[k];
            held[k] = scale * (velocity[k] - vi[k]) - 0.5 * f[3 * i + k];
          }
          const double one[6] = {at[0] * held[0], at[1] * held[1], at[2] * held[2],
                                 at[0] * held[1], at[0] * held[2], at[1] * held[2]};
          for (int k = 0; k < 6; k++) sum[k] += one[k];
          if (members.vatom)
            for (int k = 0; k < 6; k++) members.vatom[0][6 * i + k] += one[k];
        }
        for (int k = 0; k < 3; k++) {
          vi[k] = velocity[k];
          if (PLACE) xi[k] = r[k] + (motion.xcm[k] - way[k]);
        }
      }
    });
    if (VIRIAL) virial_of_block[block] = sum;
  });
}

/* ---------------------------------------------------------------------- */

template <bool PLACE>
void RigidOnPool::choose_loop(const RigidBodies &bodies, const Members &members)
{
  if (body_atoms.natoms() == 0) return;
  if (!members.virial && !members.vatom) {
    set_all<PLACE, false>(bodies, members);
    return;
  }
  virial_of_block.resize(body_atoms.nblocks());
  set_all<PLACE, true>(bodies, members);
  if (!members.virial) return;
  for (const auto &one : virial_of_block)
    for (int k = 0; k < 6; k++) members.virial[k] += one[k];
}

/* ---------------------------------------------------------------------- */

void RigidOnPool::set_velocities(const RigidBodies &bodies, const Members &members)
{
  choose_loop<false>(bodies, members);
}

/* ---------------------------------------------------------------------- */

void RigidOnPool::set_atoms(const RigidBodies &bodies, const Members &members)
{
  choose_loop<true>(bodies, members);
  if (!bodies.xgc.first) return;
  for_bodies(bodies.nall, [&](int n) {
    double *const center = bodies.xgc(n);
    MathExtra::matvec(bodies.ex(n), bodies.ey(n), bodies.ez(n), bodies.xgc_body(n), center);
    for (int k = 0; k < 3; k++) center[k] += bodies.xcm(n)[k];
  });
}

/* ---------------------------------------------------------------------- */

void RigidOnPool::kick(const RigidBodies &bodies, double dtf) const
{
  for_bodies(bodies.nowned, [&](int n) { kick_body(bodies, n, dtf); });
}

/* ---------------------------------------------------------------------- */

void RigidOnPool::kick_and_move(const RigidBodies &bodies, double dtf, double dtv, double dtq) const
{
  for_bodies(bodies.nowned, [&](int n) {
    kick_body(bodies, n, dtf);
    for (int k = 0; k < 3; k++) bodies.xcm(n)[k] += dtv * bodies.vcm(n)[k];
    MathExtra::richardson(bodies.quat(n), bodies.angmom(n), bodies.omega(n), bodies.inertia(n),
                          dtq);
    MathExtra::q_to_exyz(bodies.quat(n), bodies.ex(n), bodies.ey(n), bodies.ez(n));
  });
}

/* ----------------------------------------------------------------------
   turns about the axes one after the other, as in Miller et al., J. Chem. Phys.
   116, 8649 (2002)
------------------------------------------------------------------------- */

void RigidOnPool::kick_and_move(const RigidBodies &bodies, const Friction &by, double dtf,
                                const double *way, double dtq) const
{
  for_bodies(bodies.nowned, [&](int n) {
    kick_center(bodies, n, dtf);
    for (int k = 0; k < 3; k++) {
      bodies.vcm(n)[k] *= by.velocity[k];
      bodies.xcm(n)[k] += way[k] * bodies.vcm(n)[k];
    }
    double fquat[4], *const momentum = bodies.conjqm(n);
    torque_on_quaternion(bodies, n, fquat);
    for (int k = 0; k < 4; k++) momentum[k] = (momentum[k] + 2.0 * dtf * fquat[k]) * by.turn;

    for (int axis : {3, 2, 1, 2, 3})
      MathExtra::no_squish_rotate(axis, momentum, bodies.quat(n), bodies.inertia(n),
                                  axis == 1 ? 2.0 * dtq : dtq);
    MathExtra::q_to_exyz(bodies.quat(n), bodies.ex(n), bodies.ey(n), bodies.ez(n));
    set_turn(bodies, n);
  });
}

/* ---------------------------------------------------------------------- */

void RigidOnPool::kick(const RigidBodies &bodies, const Friction &by, double dtf) const
{
  for_bodies(bodies.nowned, [&](int n) {
    for (int k = 0; k < 3; k++) bodies.vcm(n)[k] *= by.velocity[k];
    kick_center(bodies, n, dtf);
    double fquat[4], *const momentum = bodies.conjqm(n);
    torque_on_quaternion(bodies, n, fquat);
    for (int k = 0; k < 4; k++) momentum[k] = by.turn * momentum[k] + 2.0 * dtf * fquat[k];
    set_turn(bodies, n);
  });
}

/* ---------------------------------------------------------------------- */

std::array<double, 2> RigidOnPool::energies(const RigidBodies &bodies) const
{
  return sum_over_atoms<2>(RankPool::find(lmp), bodies.nowned, [&](int first, int last) {
    std::array<double, 2> sum{};
    for (int n = first; n < last; n++)
      for (int k = 0; k < 3; k++) {
        sum[0] += *bodies.mass(n) * bodies.vcm(n)[k] * bodies.vcm(n)[k];
        sum[1] += bodies.angmom(n)[k] * bodies.omega(n)[k];
      }
    return sum;
  });
}
