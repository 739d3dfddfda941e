// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Common part of the fixes rigid/nve/small, rigid/nvt/small, rigid/nph/small
   and rigid/npt/small with the suffix /threadpool.
------------------------------------------------------------------------- */

#ifndef LMP_FIX_RIGID_NH_SMALL_ON_POOL_H
#define LMP_FIX_RIGID_NH_SMALL_ON_POOL_H

#include "fix_rigid_small_on_pool.h"
#include "threadpool/fixes/fix_calls.h"
#include "threadpool/fixes/group_on_pool.h"
#include "threadpool/pool/rank_sum.h"

#include <algorithm>
#include <cmath>

namespace LAMMPS_NS {

/** The stages of a step as in Kamberaj, Li and Hansen, J. Chem. Phys. 122, 224114 (2005).
    Thermostats and barostats are those of Stock. */
template <class Stock> class FixRigidNHSmallOnPool : public FixRigidSmallOnPool<Stock> {
 public:
  using FixRigidSmallOnPool<Stock>::FixRigidSmallOnPool;

 protected:
  void begin_step(int vflag) override
  {
    double way[3];
    set_way(way);
    this->on_pool.kick_and_move(this->bodies(), friction(), this->dtf, way, this->dtq);
    this->send_bodies();
    if (this->tstat_flag || this->pstat_flag) sum_energies();
    if (this->tstat_flag) {
      this->compute_temp_target();
      if (this->dynamic) this->compute_dof();
      this->nhc_temp_integrate();
    }
    if (this->pstat_flag) this->nhc_press_integrate();

    this->v_init(vflag);
    if (this->pstat_flag) change_box();
    this->set_atoms();
    if (this->pstat_flag) {
      change_box();
      if (this->kspace_flag) set_up_kspace(this->lmp);
    }
  }

  void end_step() override
  {
    const RigidOnPool::Friction before_forces = friction();
    if (!this->earlyflag) this->compute_forces_and_torques();
    this->on_pool.kick(this->bodies(), before_forces, this->dtf);
    this->send_motion_of_bodies();
    if (this->pstat_flag) sum_energies();
    this->set_velocities();
    if (this->tcomputeflag) this->t_current = temperature_of(this->temperature);
    if (this->pstat_flag) follow_pressure();
  }

 private:
  RankSum energies{RankSum::Of::VELOCITIES, 2, [this](double *mine) {
                     const auto all = this->on_pool.energies(this->bodies());
                     std::copy(all.begin(), all.end(), mine);
                   }};

  void sum_energies()
  {
    RankSum::reduce({&energies}, this->lmp);
    this->akin_t = energies.total[0];
    this->akin_r = energies.total[1];
  }

  /** By thermostat and barostat. */
  RigidOnPool::Friction friction() const
  {
    RigidOnPool::Friction by;
    double rate_t = 0.0, rate_r = 0.0, rate[3] = {0.0, 0.0, 0.0};
    if (this->tstat_flag) {
      rate_t = this->eta_dot_t[0];
      rate_r = this->eta_dot_r[0];
    }
    if (this->pstat_flag) {
      for (int k = 0; k < 3; k++) rate[k] = this->epsilon_dot[k] + this->mtk_term2;
      rate_r += this->pdim * this->mtk_term2;
    }
    for (int k = 0; k < 3; k++) by.velocity[k] = exp(-this->dtq * (rate_t + rate[k]));
    by.turn = exp(-this->dtq * rate_r);
    return by;
  }

  /** From velocities to displacements, in a box that may change meanwhile. */
  void set_way(double *way)
  {
    for (int k = 0; k < 3; k++) {
      const double strain = this->pstat_flag ? this->dtq * this->epsilon_dot[k] : 0.0;
      way[k] = this->pstat_flag ? this->dtv * exp(strain) * this->maclaurin_series(strain)
                                : this->dtv;
    }
  }

  void change_box()
  {
    remap_on_pool(this->lmp, this->threadpool, this->allremap, this->dilate_group_bit,
                  [this] { this->remap(); });
  }

  void follow_pressure()
  {
    compute_pressure(this->lmp, this->temperature, this->pressure, this->pstyle == RigidConst::ISO);
    this->couple();
    this->compute_press_target();
    this->nh_epsilon_dot();
  }
};

}    // namespace LAMMPS_NS

#endif
