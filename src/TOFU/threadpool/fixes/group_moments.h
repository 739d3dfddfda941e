// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_GROUP_MOMENTS_H
#define LMP_GROUP_MOMENTS_H

#include "group_loops.h"

#include <array>

namespace LAMMPS_NS {

/** Sums over the masses of a group and over ranks, as class Group has them, on the parts of the
    pool.  All are collective. */
class GroupMoments {
 public:
  using Vector = std::array<double, 3>;

  GroupMoments(LAMMPS *, RankPool *, int groupbit);

  double mass() const;

  /** Positions and velocities of the center, for a mass that may be 0. */
  Vector center(double mass) const;
  Vector velocity(double mass) const;

  /** Of masses times squared velocities. */
  double squares() const;

  /** xx, yy, zz, xy, xz, yz of distances from a center. */
  std::array<double, 6> gyration(const Vector &center) const;

  /** Angular velocity about a center. */
  Vector rotation(const Vector &center) const;

 private:
  LAMMPS *lmp;
  GroupLoops loops;
  MassOf masses;

  template <int N, class Work> std::array<double, N> sum(const Work &) const;
};

}    // namespace LAMMPS_NS

#endif
