// SPDX-License-Identifier: GPL-2.0-only
//
// Random spheres of many sizes, of which some are infinitely heavy and the last are ghosts.

#ifndef TOFU_UNITTEST_RANDOM_SPHERES_H
#define TOFU_UNITTEST_RANDOM_SPHERES_H

#include "unit/testing.h"

#include "kernels/granular/contact_data.h"

namespace TOFU_NS {

using Vector = std::array<double, 3>;

inline Vector cross(const Vector &a, const Vector &b)
{
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

inline double dot(const Vector &a, const Vector &b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

struct RandomSpheres {
  int natoms = 60, nlocal = 45;
  static constexpr int FROZEN = 4;    // bit of their group
  std::vector<double> x, radii, mass, v, omega, f, torque;
  std::vector<int> mask;
  std::vector<int> i, j, touch;
  std::vector<double> history;
  int width;    // of the history

  explicit RandomSpheres(int npairs, int nhistory = 3) : width(nhistory)
  {
    std::mt19937 random(4711);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int n = 0; n < natoms; n++) {
      for (int dim = 0; dim < 3; dim++) {
        x.push_back(1.2 * uniform(random));
        v.push_back(uniform(random));
        omega.push_back(uniform(random));
      }
      radii.push_back(0.5 + 0.2 * uniform(random));
      mass.push_back(1.0 + 0.5 * uniform(random));
      mask.push_back(n % 7 == 0 ? 1 | FROZEN : 1 | 2);
    }
    f.assign(3 * natoms, 0.0);
    torque.assign(3 * natoms, 0.0);
    for (int n = 0; n < npairs; n++) {
      i.push_back(n % nlocal);
      j.push_back((n % nlocal + 1 + n / nlocal * 3) % natoms);
      touch.push_back(n % 3 == 0);
      for (int number = 0; number < width; number++)
        history.push_back(touch.back() && n % 2 ? 0.01 * uniform(random) : 0.0);
    }
    i.insert(i.end(), ROW_PADDING, 0);    // a contact that must not count
    j.insert(j.end(), ROW_PADDING, 1);
  }

  ContactPairs pairs()
  {
    return {
        static_cast<int>(touch.size()), i.data(), j.data(), touch.data(), history.data(), width};
  }
  Spheres spheres() const
  {
    return {x.data(), v.data(), omega.data(), radii.data(), mass.data(), mask.data(), FROZEN};
  }

  /** Of the relative motion: the other one's if one of them is infinitely heavy. */
  double reduced_mass(int a, int b) const
  {
    if (mask[b] & FROZEN) return mass[a];
    if (mask[a] & FROZEN) return mass[b];
    return mass[a] * mass[b] / (mass[a] + mass[b]);
  }

  Vector of(const std::vector<double> &values, int atom) const
  {
    return {values[3 * atom], values[3 * atom + 1], values[3 * atom + 2]};
  }
};

inline void expect_near(const std::vector<double> &expected, const std::vector<double> &found)
{
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t k = 0; k < expected.size(); k++)
    EXPECT_NEAR(expected[k], found[k], 1e-11 * (1.0 + std::fabs(expected[k]))) << k;
}

/** Subtract reactions from the forces and torques of their atoms. */
inline void subtract(const std::vector<ContactReaction> &reactions, RandomSpheres &from)
{
  for (const ContactReaction &reaction : reactions)
    for (int dim = 0; dim < 3; dim++) {
      from.f[3 * reaction.j + dim] -= reaction.force[dim];
      from.torque[3 * reaction.j + dim] -= reaction.torque[dim];
    }
}

}    // namespace TOFU_NS

#endif
