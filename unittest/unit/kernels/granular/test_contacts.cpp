// SPDX-License-Identifier: GPL-2.0-only
//
// Contacts of random spheres against the equations, one pair at a time.

#include "kernels/granular/contacts.h"
#include "random_spheres.h"

using namespace TOFU_NS;

namespace {

struct System : RandomSpheres {
  using RandomSpheres::RandomSpheres;

  /** Force of one pair by the equations of LAMMPS' manual. */
  void reference(int pair, const ContactCoefficients &c, double *virial)
  {
    const int a = i[pair], b = j[pair];
    const double ra = radii[a], rb = radii[b];
    Vector del, vt, slid, force, tangential;
    for (int dim = 0; dim < 3; dim++) del[dim] = x[3 * a + dim] - x[3 * b + dim];
    const double r = std::sqrt(dot(del, del));
    const bool springs = c.law != ContactLaw::HOOKE, contact = r < ra + rb;
    if (springs) touch[pair] = contact;
    if (!contact) {
      for (int dim = 0; dim < 3 && springs; dim++) history[3 * pair + dim] = 0.0;
      return;
    }
    const double area =
        c.law == ContactLaw::HERTZ_HISTORY ? std::sqrt((ra + rb - r) * ra * rb / (ra + rb)) : 1.0;
    const double meff = reduced_mass(a, b);
    Vector w;
    for (int dim = 0; dim < 3; dim++)
      w[dim] = (ra * omega[3 * a + dim] + rb * omega[3 * b + dim]) / r;
    const Vector turn = cross(w, del);
    Vector vr;
    for (int dim = 0; dim < 3; dim++) vr[dim] = v[3 * a + dim] - v[3 * b + dim];
    const double vn = dot(vr, del) / (r * r);
    double normal = area * (c.kn * (ra + rb - r) / r - meff * c.gamman * vn);
    if (c.limit_damping && normal < 0.0) normal = 0.0;
    for (int dim = 0; dim < 3; dim++) {
      vt[dim] = vr[dim] - vn * del[dim] - turn[dim];
      slid[dim] = history[3 * pair + dim] + vt[dim] * c.dt;
    }
    const double length = dot(slid, slid), along = dot(slid, del) / (r * r);
    for (int dim = 0; dim < 3; dim++) {
      if (c.dt != 0.0) slid[dim] -= along * del[dim];
      tangential[dim] = area * (-(springs ? c.kt * slid[dim] : 0.0) - meff * c.gammat * vt[dim]);
    }
    const double fs = std::sqrt(dot(tangential, tangential)), most = c.xmu * std::fabs(normal * r);
    for (int dim = 0; dim < 3; dim++) {
      if (fs > most && !springs) tangential[dim] *= most / fs;
      if (fs > most && springs) {
        const double damped = meff * c.gammat * vt[dim] / c.kt;
        if (length != 0.0) slid[dim] = most / fs * (slid[dim] + damped) - damped;
        tangential[dim] = length != 0.0 ? most / fs * tangential[dim] : 0.0;
      }
      if (springs) history[3 * pair + dim] = slid[dim];
      force[dim] = normal * del[dim] + tangential[dim];
    }
    const Vector arm = cross(del, tangential);
    for (int dim = 0; dim < 3; dim++) {
      f[3 * a + dim] += force[dim];
      torque[3 * a + dim] -= ra * arm[dim] / r;
      if (b >= nlocal) continue;
      f[3 * b + dim] -= force[dim];
      torque[3 * b + dim] -= rb * arm[dim] / r;
    }
    const double weight = b < nlocal ? 1.0 : 0.5;
    const double products[6] = {del[0] * force[0], del[1] * force[1], del[2] * force[2],
                                del[0] * force[1], del[0] * force[2], del[1] * force[2]};
    for (int k = 0; k < 6; k++) virial[k] += weight * products[k];
  }
};

ContactCoefficients coefficients(double xmu, double dt, bool limit_damping)
{
  ContactCoefficients c;
  c.kn = 200.0;
  c.kt = 60.0;
  c.gamman = 5.0;
  c.gammat = 2.0;
  c.xmu = xmu;
  c.dt = dt;
  c.limit_damping = limit_damping;
  return c;
}

}    // namespace

TEST(Contacts, ForcesTorquesHistoryAndVirialAreThoseOfTheEquations)
{
  for (int npairs : {1, 7, 8, 300, 523})
    for (const auto &[xmu, dt, limit_damping, law] :
         {std::tuple(0.5, 0.01, false, ContactLaw::HOOKE_HISTORY),
          std::tuple(0.02, 0.01, true, ContactLaw::HOOKE_HISTORY),
          std::tuple(0.5, 0.0, false, ContactLaw::HOOKE_HISTORY),
          std::tuple(0.5, 0.01, false, ContactLaw::HERTZ_HISTORY),
          std::tuple(0.02, 0.01, true, ContactLaw::HERTZ_HISTORY),
          std::tuple(0.5, 0.01, false, ContactLaw::HOOKE),
          std::tuple(0.01, 0.01, true, ContactLaw::HOOKE)}) {
      ContactCoefficients c = coefficients(xmu, dt, limit_damping);
      c.law = law;
      System expected(npairs), found(npairs);
      double virial[2][6] = {};
      for (int pair = 0; pair < npairs; pair++) expected.reference(pair, c, virial[0]);
      std::vector<ContactReaction> others;
      const ContactForces forces{
          found.f.data(), found.torque.data(), nullptr, {0, found.nlocal, 0, 0}, false, &others};
      ContactPairs pairs = found.pairs();
      if (law == ContactLaw::HOOKE) pairs.touch = nullptr, pairs.history = nullptr;
      contacts(c, found.spheres(), pairs, forces, found.nlocal, virial[1]);
      EXPECT_TRUE(others.empty());
      EXPECT_EQ(expected.touch, found.touch);
      expect_near(expected.history, found.history);
      expect_near(expected.f, found.f);
      expect_near(expected.torque, found.torque);
      for (int k = 0; k < 6; k++)
        EXPECT_NEAR(virial[0][k], virial[1][k], 1e-11 * (1.0 + std::fabs(virial[0][k])));
    }
}

TEST(Contacts, WhatAtomsOfOthersGetIsLeftToThem)
{
  const auto c = coefficients(0.5, 0.01, false);
  System whole(400), part(400);
  std::vector<ContactReaction> none, others;
  contacts(c, whole.spheres(), whole.pairs(),
           {whole.f.data(), whole.torque.data(), nullptr, {0, 60, 0, 0}, true, &none}, 45, nullptr);
  contacts(c, part.spheres(), part.pairs(),
           {part.f.data(), part.torque.data(), nullptr, {0, 20, 50, 55}, true, &others}, 45,
           nullptr);
  ASSERT_FALSE(others.empty());
  subtract(others, part);
  for (const ContactReaction &reaction : others)
    EXPECT_TRUE((reaction.j >= 20 && reaction.j < 50) || reaction.j >= 55);
  expect_near(whole.f, part.f);
  expect_near(whole.torque, part.torque);
}
