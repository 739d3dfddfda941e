// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_VELOCITY_SUMS_H
#define LMP_VELOCITY_SUMS_H

#include "pointers.h"

#include "threadpool/pool/rank_sum.h"

#include <functional>

namespace LAMMPS_NS {

/** Sums over the velocities of a group, on the parts of the pool: of atoms, or thermal ones, from
    which a temperature has removed its bias. */
class VelocitySums : protected Pointers {
 public:
  /** Writes [3*(last-first)] thermal velocities of atoms first up to last; those of atoms that are
      not in the group are not read.  Called by several parts at a time. */
  using Velocities = std::function<void(int first, int last, double *to)>;

  VelocitySums(class LAMMPS *, int groupbit, Velocities thermal = nullptr);

  RankSum squares;     // times masses
  RankSum products;    // times masses: xx, yy, zz, xy, xz, yz
  RankSum momenta;     // 3, and the mass

  /** One of the sums, in units of energy.  It is not made together with other sums over ranks: the
      bias may come from one, too.  Collective. */
  void reduce_to_energies(RankSum &, double *to);

  /** The temperature of squares in units of energy.  Stops if there are atoms, and fewer than no
      degrees of freedom. */
  double temperature(double squares, double dof, double natoms) const;

 private:
  const int groupbit;
  const Velocities velocities;

  template <int N, class Work> RankSum::Part part(const Work &) const;
};

}    // namespace LAMMPS_NS

#endif
