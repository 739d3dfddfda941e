// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_GROUP_ON_POOL_H
#define LMP_GROUP_ON_POOL_H

#include "pointers.h"

#include "group_loops.h"

#include <array>
#include <functional>
#include <optional>

namespace LAMMPS_NS {

/** Loops of fixes over the owned atoms of a group, on the parts of the pool. */
class GroupOnPool : protected Pointers {
 public:
  using Factor = std::optional<double>;    // none: what it is for stays as it is

  GroupOnPool(class LAMMPS *, RankPool *, int igroup, int groupbit);

  /** In one pass velocities by dtf [time * force conversion] times force over mass, positions by
      dtv [time] times velocity, and angular velocities of spheres by turn times torque over mass
      and squared radius. */
  void integrate(Factor dtf, Factor dtv, Factor turn = {}) const;

  /** As integrate(), with the squares of velocities limited before positions change.

      \return   # of atoms whose velocity was */
  int integrate_limited(double dtf, Factor dtv, double vsq_limit) const;

  /** Velocities without the bias of a temperature, if there is one, times a number. */
  void scale(double factor, class Compute *bias) const;

  /** The same velocities twice times [3] factors; in between, with shear [3]: vx += shear[2] vy +
      shear[1] vz and vy += shear[0] vz. */
  void scale_and_shear(const double *factors, const double *shear, Compute *bias) const;

  /** Changes a velocity [3] without the bias, given what it is with it. */
  using VelocityWork = std::function<void(double *thermal, const double *whole)>;

  /** Any change of these velocities, by several parts at a time. */
  void change(const VelocityWork &, Compute *bias) const;

  /** Forces by mass times [3] acceleration.

      \return   minus the sum of mass times acceleration times position */
  double pull(const double *acceleration) const;

  /** Forces and torques to 0.

      \return   sum of the forces before */
  std::array<double, 3> freeze() const;

 private:
  RankPool *threadpool;
  int natoms, groupbit;
  GroupLoops loops;

  template <class Work> void for_velocities(Compute *bias, const Work &) const;
};

/** Stock: a fix without the suffix, whose loops over the atoms of its group are those above. */
template <class Stock> class GroupFixOnPool : public FixOnPool<Stock> {
 public:
  using FixOnPool<Stock>::FixOnPool;

 protected:
  GroupOnPool atoms() const { return {this->lmp, this->threadpool, this->igroup, this->groupbit}; }

  /** \param region   after its prematch(); nullptr: all atoms of the group */
  GroupLoops loops(Region *region = nullptr) const
  {
    return {this->lmp, this->threadpool, this->groupbit, region};
  }
};

/** Change the box by remap(), which is that of a fix of LAMMPS and is kept from moving atoms with
    the box.  The parts of the pool move them: their fractions in the box stay.

    \param allremap,group_bit   members of the fix: whether all atoms move, else those of a group */
void remap_on_pool(class LAMMPS *, RankPool *, int &allremap, int &group_bit,
                   const std::function<void()> &remap);

}    // namespace LAMMPS_NS

#endif
