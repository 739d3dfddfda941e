// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_THERMAL_SUMS_H
#define LMP_THERMAL_SUMS_H

#include "pointers.h"

#include "threadpool/pool/rank_sum.h"

#include <functional>

namespace LAMMPS_NS {

/** Sums over the velocities of a group without a bias, on the parts of the pool, and over ranks.
    They are not made together with other sums over ranks: the bias may come from one, too. */
class ThermalSums : protected Pointers {
 public:
  /** Writes [3*(last-first)] thermal velocities of atoms first up to last; those of atoms that are
      not in the group are not read.  Called by several parts at a time. */
  using Velocities = std::function<void(int first, int last, double *to)>;

  ThermalSums(class LAMMPS *, Velocities);

  /** Whether there is a pool; temperatures may be there before package threadpool. */
  bool can_compute() const;

  /** The present step. */
  bigint step() const;

  /** Sum of masses times squared velocities, in units of energy.  Collective. */
  double squares(int groupbit);

  /** Sums of masses times products xx, yy, zz, xy, xz, yz of velocities.  Collective. */
  void products(int groupbit, double *to);

  /** [4] momentum and mass, in LAMMPS' units.  Collective. */
  void momentum(int groupbit, double *to);

  /** The temperature of the squares.  Stops if there are atoms, and fewer than no degrees of
      freedom. */
  double temperature(double squares, double dof, double natoms) const;

 private:
  const Velocities velocities;
  int groupbit = 0;
  RankSum sum_of_squares, sum_of_products, sum_of_momenta;

  template <int N, class Work> void sum(double *, const Work &) const;
};

}    // namespace LAMMPS_NS

#endif
