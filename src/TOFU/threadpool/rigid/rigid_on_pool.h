// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   The loops of integrators over rigid bodies and their atoms, on the
   parts of the pool.
------------------------------------------------------------------------- */

#ifndef LMP_RIGID_ON_POOL_H
#define LMP_RIGID_ON_POOL_H

#include "pointers.h"

#include "body_atoms.h"
#include "rigid_bodies.h"

#include <array>
#include <vector>

namespace LAMMPS_NS {

/** A body's sums over its atoms are made by one part, in the order of LAMMPS.  Of quantities of
    atoms, [natoms] stands for owned ones. */
class RigidOnPool : protected Pointers {
 public:
  explicit RigidOnPool(class LAMMPS *lmp) : Pointers(lmp) {}

  /** What is known of atoms beside their bodies. */
  struct Members {
    const imageint *image;       // [natoms] of periodic images, relative to the body
    double **displace;           // [natoms][3] place in the body
    double dtf;                  // half a time step, times force conversion
    double *virial = nullptr;    // [6] to be added to; nullptr: not wanted
    double **vatom = nullptr;    // [natoms][6] the same of single atoms
  };

  /** To be called when atoms or bodies have been renumbered.

      \param body_of_atom   [natoms] negative: in no body */
  void sort_atoms(const int *body_of_atom, int nbodies);

  /** In bodies, of this rank. */
  int natoms() const { return body_atoms.natoms(); }

  /** Forces and torques of bodies from those of their atoms on this rank.

      \param image      as in Members
      \param turned     [natoms] whether the torque of an atom counts; nullptr: of none
      \param turned_by  the bit of it */
  void sum_forces(const RigidBodies &, const imageint *image, const int *turned, int turned_by);

  /** Positions and velocities of atoms, and geometric centers of bodies if they have them, follow
      from the motion of the bodies.  The virial is that of half of the forces that hold atoms in
      their bodies: the other half of the step has the other half of them. */
  void set_atoms(const RigidBodies &, const Members &);

  /** Velocities alone. */
  void set_velocities(const RigidBodies &, const Members &);

  /** Half a step of velocities and angular momenta of owned bodies.

      \param move   whole steps of positions and orientations, too */
  void kick(const RigidBodies &, double dtf) const;
  void kick_and_move(const RigidBodies &, double dtf, double dtv, double dtq) const;

  /** Factors of half a step of a Nose-Hoover integrator. */
  struct Friction {
    double velocity[3] = {1.0, 1.0, 1.0}, turn = 1.0;
  };

  /** Half a step of velocities and quaternion momenta, which friction acts on after forces; then
      whole steps.

      \param way   factors from velocities to displacements
      \param dtq   half a time step */
  void kick_and_move(const RigidBodies &, const Friction &, double dtf, const double *way,
                     double dtq) const;

  /** Half a step, in which friction acts before forces. */
  void kick(const RigidBodies &, const Friction &, double dtf) const;

  /** Twice the kinetic energies of translation and rotation of owned bodies. */
  std::array<double, 2> energies(const RigidBodies &) const;

  double memory_usage() const { return body_atoms.memory_usage(); }

 private:
  BodyAtoms body_atoms;
  std::vector<std::array<double, 6>> virial_of_block;

  template <class Work> void for_blocks(const Work &) const;
  template <class Work> void for_bodies(int, const Work &) const;
  template <bool PLACE> void choose_loop(const RigidBodies &, const Members &);
  template <bool PLACE, bool VIRIAL> void set_all(const RigidBodies &, const Members &);
};

}    // namespace LAMMPS_NS

#endif
