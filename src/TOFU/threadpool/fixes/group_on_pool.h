// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   The loops of integrators over the atoms of a group, on the parts of the pool.
------------------------------------------------------------------------- */

#ifndef LMP_GROUP_ON_POOL_H
#define LMP_GROUP_ON_POOL_H

#include "pointers.h"

#include <functional>

namespace LAMMPS_NS {

class GroupOnPool : protected Pointers {
 public:
  GroupOnPool(class LAMMPS *, class RankPool *, int igroup, int groupbit);

  /** Velocities by dtf [time * force conversion] times force over mass. */
  void kick(double dtf);

  /** Positions by dtv [time] times velocity. */
  void move(double dtv);

  /** One after the other, in one pass. */
  void kick_and_move(double dtf, double dtv);

  /** As kick() and kick_and_move(), and angular velocities of spheres by torque over mass and
      squared radius, times dtf / inertia. */
  void kick_and_turn(double dtf, double inertia);
  void kick_move_and_turn(double dtf, double dtv, double inertia);

  /** Velocities times a number. */
  void scale(double factor);

  /** Velocities twice times [3] factors; in between, with shear [3]: vx += shear[2] vy + shear[1]
      vz and vy += shear[0] vz. */
  void scale_and_shear(const double *factors, const double *shear);

  /** As scale() and scale_and_shear(), for velocities without the bias of a temperature. */
  void scale_thermal(class Compute *temperature, double factor);
  void scale_and_shear_thermal(Compute *temperature, const double *factors, const double *shear);

  /** Changes a thermal velocity [3], given what it is with the bias. */
  using ThermalWork = std::function<void(double *thermal, const double *whole)>;

  /** Any change of thermal velocities, by several parts at a time. */
  void change_thermal(Compute *temperature, const ThermalWork &);

 private:
  class RankPool *threadpool;
  int natoms, groupbit;

  template <class Work> void for_thermal(Compute *, const Work &);
  template <bool KICK, bool MOVE, bool TURN = false>
  void integrate(double dtf, double dtv, double inertia = 1.0);
};

/** The box as it was when this was made. */
class BoxFrame : protected Pointers {
 public:
  explicit BoxFrame(class LAMMPS *);

  /** Move owned atoms so that their fractions in the present box are those in this one.

      \param group   bit of the group whose atoms are moved
      \param all     whether every atom is, in any group */
  void carry(class RankPool *, bool all, int group) const;

 private:
  double h_inv[6], boxlo[3];
};

}    // namespace LAMMPS_NS

#endif
