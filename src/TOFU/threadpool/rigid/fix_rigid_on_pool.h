// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Common part of the fixes for few large rigid bodies, which all ranks have, with
   the suffix /threadpool.
------------------------------------------------------------------------- */

#ifndef LMP_FIX_RIGID_ON_POOL_H
#define LMP_FIX_RIGID_ON_POOL_H

#include "lammps/scoped_state.h"
#include "rigid_on_pool.h"
#include "threadpool/fixes/fix_calls.h"
#include "threadpool/pool/fix_on_pool.h"

#include "rigid_const.h"

#include <optional>
#include <string>

namespace LAMMPS_NS {

/** Stock: fix rigid, or one that is derived from it.  Its loops over all atoms of a rank become
    loops over those in bodies.  The motion of the bodies is left to it, and so is all where
    particles have an orientation of their own, stresses about centroids are wanted, or most atoms
    are in bodies: then both kinds of loops take as long. */
template <class Stock> class FixRigidOnPool : public FixOnPool<Stock> {
 public:
  FixRigidOnPool(class LAMMPS *lmp, int narg, char **arg) :
      FixOnPool<Stock>(lmp, narg, StockArguments(narg, arg).words()), on_pool(lmp)
  {
    delete[] this->style;
    this->style = utils::strdup(arg[2]);
  }

  void pre_neighbor() override
  {
    Stock::pre_neighbor();
    on_pool.sort_atoms(this->body, this->nbody);
    most_are_in_bodies = 2 * on_pool.natoms() > owned_atoms(this->lmp);
  }

  void initial_integrate(int vflag) override
  {
    this->v_init(vflag);
    if (is_for_stock()) {
      Stock::initial_integrate(vflag);
      return;
    }
    const ScopedReset restored(no_atoms);
    no_atoms.emplace(this->lmp);
    Stock::initial_integrate(vflag);
    if (!no_atoms) return;    // something has asked for the atoms
    no_atoms.reset();
    set_atoms();
  }

  void final_integrate() override
  {
    if (is_for_stock()) {
      Stock::final_integrate();
      return;
    }
    {
      const ScopedLocalCount none(this->lmp);
      Stock::final_integrate();
    }
    on_pool.set_velocities(bodies(), members());
  }

  double memory_usage() override { return Stock::memory_usage() + on_pool.memory_usage(); }

  /** Other ranks may have fewer atoms in bodies. */
  std::string left_to_lammps() const override
  {
    if (this->extended) return "particles with an orientation";
    return most_are_in_bodies ? "most atoms of rank 0 are in bodies" : "";
  }

 protected:
  std::optional<ScopedLocalCount> no_atoms;    // for Stock

  bool is_for_stock() const
  {
    return this->extended || (this->evflag && this->cvflag_atom) || most_are_in_bodies;
  }

  /** Positions and velocities of atoms follow from those of their bodies. */
  void set_atoms() { on_pool.set_atoms(bodies(), members()); }

  /** Sums of a body are made in the order of Stock. */
  void compute_forces_and_torques() override
  {
    if (most_are_in_bodies) {    // other ranks may do otherwise: the message is the same
      Stock::compute_forces_and_torques();
      return;
    }
    RigidBodies on_this_rank = bodies();
    on_this_rank.fcm = {this->sum[0], 6};
    on_this_rank.torque = {this->sum[0] + 3, 6};
    on_pool.sum_forces(on_this_rank, this->xcmimage, this->extended ? this->eflags : nullptr,
                       RigidConst::TORQUE);
    sum_over_ranks(this->lmp, 6 * this->nbody, this->sum[0], this->all[0]);

    for (int n = 0; n < this->nbody; n++)
      for (int k = 0; k < 3; k++) {
        double &force = this->fcm[n][k], &about = this->torque[n][k];
        force = this->all[n][k];
        about = this->all[n][3 + k];
        if (this->langflag) {
          force += this->fflag[n][k] * this->langextra[n][k];
          about += this->tflag[n][k] * this->langextra[n][3 + k];
        }
        if (this->id_gravity) force += this->gvec[k] * this->masstotal[n];
      }
  }

 private:
  RigidOnPool on_pool;

  bool most_are_in_bodies = false;    // of the owned atoms

  RigidBodies bodies() const
  {
    RigidBodies all;
    all.nowned = all.nall = this->nbody;
    all.xcm = {this->xcm[0], 3};
    all.vcm = {this->vcm[0], 3};
    all.omega = {this->omega[0], 3};
    all.ex = {this->ex_space[0], 3};
    all.ey = {this->ey_space[0], 3};
    all.ez = {this->ez_space[0], 3};
    return all;
  }

  RigidOnPool::Members members()
  {
    return {this->xcmimage, this->displace, this->dtf,
            this->evflag && this->vflag_global ? this->virial : nullptr,
            this->evflag && this->vflag_atom ? this->vatom : nullptr};
  }
};

/** Stock: fix rigid/npt or rigid/nph.  It changes the box twice in the first half of a step,
    before and after it sets atoms, and asks for their temperature at the end of the second half,
    whose loop is left to it. */
template <class Stock> class FixRigidInBoxOnPool : public FixRigidOnPool<Stock> {
 public:
  using FixRigidOnPool<Stock>::FixRigidOnPool;

  void initial_integrate(int vflag) override
  {
    box_changed = false;
    FixRigidOnPool<Stock>::initial_integrate(vflag);
  }

  void final_integrate() override { Stock::final_integrate(); }

 protected:
  void remap() override
  {
    const bool had_none = this->no_atoms.has_value();
    this->no_atoms.reset();
    if (had_none && box_changed) this->set_atoms();
    Stock::remap();
    if (had_none && !box_changed) this->no_atoms.emplace(this->lmp);
    box_changed = true;
  }

 private:
  bool box_changed = false;    // for the first time
};

}    // namespace LAMMPS_NS

#endif
