// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Common part of the fixes for many small rigid bodies with the suffix
   /threadpool.
------------------------------------------------------------------------- */

#ifndef LMP_FIX_RIGID_SMALL_ON_POOL_H
#define LMP_FIX_RIGID_SMALL_ON_POOL_H

#include "rigid_on_pool.h"
#include "threadpool/fixes/fix_calls.h"
#include "threadpool/pool/fix_on_pool.h"

#include "rigid_const.h"

namespace LAMMPS_NS {

/** Stock: fix rigid/small, or one that is derived from it, which keeps the bodies.  Particles that
    have an orientation of their own, and stresses about centroids, are left to its loops over
    atoms, and all is left to it where there is one part only: one thread takes as long with the
    loops of the pool. */
template <class Stock> class FixRigidSmallOnPool : public FixOnPool<Stock> {
 public:
  FixRigidSmallOnPool(class LAMMPS *lmp, int narg, char **arg) :
      FixOnPool<Stock>(lmp, narg, arg), on_pool(lmp)
  {
  }

  void setup_pre_neighbor() override
  {
    Stock::setup_pre_neighbor();
    sort_atoms();
  }

  void pre_neighbor() override
  {
    Stock::pre_neighbor();
    sort_atoms();
  }

  void initial_integrate(int vflag) override
  {
    has_one_part() ? Stock::initial_integrate(vflag) : begin_step(vflag);
  }

  void final_integrate() override { has_one_part() ? Stock::final_integrate() : end_step(); }

  double memory_usage() override { return Stock::memory_usage() + on_pool.memory_usage(); }

 protected:
  RigidOnPool on_pool;

  RigidBodies bodies() const
  {
    return RigidBodies(this->body, this->nlocal_body, this->nlocal_body + this->nghost_body);
  }

  /** The two halves of a step of fix rigid/small itself, without thermostat and barostat. */
  virtual void begin_step(int vflag)
  {
    on_pool.kick_and_move(bodies(), this->dtf, this->dtv, this->dtq);
    this->v_init(vflag);
    send_bodies();
    set_atoms();
  }

  virtual void end_step()
  {
    if (!this->earlyflag) compute_forces_and_torques();
    if (is_flat(this->lmp)) this->enforce2d();
    on_pool.kick(bodies(), this->dtf);
    send_motion_of_bodies();
    set_velocities();
  }

  bool has_one_part() const { return this->threadpool->nparts() == 1; }

  void compute_forces_and_torques() override
  {
    if (has_one_part()) {
      Stock::compute_forces_and_torques();
      return;
    }
    on_pool.sum_forces(bodies(), this->xcmimage, this->extended ? this->eflags : nullptr,
                       RigidConst::TORQUE);
    this->commflag = RigidConst::FORCE_TORQUE;
    reverse_comm_of(this->lmp, this, 6);
    add_forces_on_bodies();
  }

  /** Tell ranks with atoms of a body where it is and how it moves, or how it moves only. */
  void send_bodies() { send(RigidConst::INITIAL, 29); }
  void send_motion_of_bodies() { send(RigidConst::FINAL, 10); }

  /** Positions and velocities of atoms follow from those of their bodies. */
  void set_atoms() { left_to_stock() ? this->set_xv() : on_pool.set_atoms(bodies(), members()); }

  /** Velocities alone. */
  void set_velocities()
  {
    left_to_stock() ? this->set_v() : on_pool.set_velocities(bodies(), members());
  }

 private:
  void sort_atoms()
  {
    if (!has_one_part()) on_pool.sort_atoms(this->atom2body, this->nlocal_body + this->nghost_body);
  }

  void send(int what, int most)
  {
    this->commflag = what;
    forward_comm_of(this->lmp, this, most);
  }

  bool left_to_stock() const { return this->extended || (this->evflag && this->cvflag_atom); }

  RigidOnPool::Members members()
  {
    return {this->xcmimage, this->displace, this->dtf,
            this->evflag && this->vflag_global ? this->virial : nullptr,
            this->evflag && this->vflag_atom ? this->vatom : nullptr};
  }

  /** Of the Langevin thermostat, and of gravity. */
  void add_forces_on_bodies()
  {
    for (int n = 0; this->langflag && n < this->nlocal_body; n++)
      for (int k = 0; k < 3; k++) {
        this->body[n].fcm[k] += this->langextra[n][k];
        this->body[n].torque[k] += this->langextra[n][3 + k];
      }
    for (int n = 0; this->id_gravity && n < this->nlocal_body; n++)
      for (int k = 0; k < 3; k++) this->body[n].fcm[k] += this->gvec[k] * this->body[n].mass;
  }
};

}    // namespace LAMMPS_NS

#endif
