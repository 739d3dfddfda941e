// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Common part of the Nose-Hoover fixes with the suffix /threadpool: loops over
   atoms on the parts of the pool.
------------------------------------------------------------------------- */

#ifndef LMP_NOSE_HOOVER_ON_POOL_H
#define LMP_NOSE_HOOVER_ON_POOL_H

#include "group_on_pool.h"
#include "threadpool/pool/step_sums.h"

#include "lammps/styles/between_steps.h"

#include "update.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace LAMMPS_NS {

/** Stock: fix nvt, npt, nph or nvt/sllod.  Rigid bodies in a changing box are left to it.

    Temperature and pressure are requested at the begin of a step and at its end, and summed over
    ranks together.  At the begin they are those of the end of the step before, with velocities
    scaled since, unless another fix may have changed them in between. */
template <class Stock> class NoseHooverOnPool : public GroupFixOnPool<Stock> {
 public:
  using GroupFixOnPool<Stock>::GroupFixOnPool;

  void init() override
  {
    GroupFixOnPool<Stock>::init();
    at_begin.forget();
    at_end.forget();
  }

  void setup(int vflag) override
  {
    Stock::setup(vflag);
    changes = TOFU_NS::changes_between_steps(this->lmp, this);
    moves_alone = TOFU_NS::integrates_alone(this->lmp, this);
    long_range_is_unread = this->pstat_flag && !TOFU_NS::long_range_virial_is_read(this->lmp);
  }

  void initial_integrate(int vflag) override
  {
    StepSums &sums = this->threadpool->sums();
    if (!changes.after(this->update->ntimestep - 1)) sums.carry(at_end, at_begin);
    {
      const StepSums::Scope scope(sums, at_begin);
      Stock::initial_integrate(vflag);
    }
    if (!at_end.empty()) sums.expect_requests(long_range_is_unread);
  }

  void final_integrate() override
  {
    StepSums &sums = this->threadpool->sums();
    sums.begin_last_requests(next_move());
    {
      const StepSums::Scope scope(sums, at_end);
      Stock::final_integrate();
    }
    sums.end_requests();
  }

 protected:
  void nve_v() override
  {
    this->atoms().integrate(this->dtf, {});
    this->threadpool->sums().moved();
  }

  void nve_x() override { this->atoms().integrate({}, this->dtv); }

  void nh_v_temp() override
  {
    StepSums &sums = this->threadpool->sums();
    this->atoms().scale(this->factor_eta, bias());
    if (bias()) {
      sums.moved();
    } else {
      sums.scaled(this->igroup, this->factor_eta);
      sums.note_factor(this->factor_eta);
    }
  }

  void nh_v_press() override
  {
    this->threadpool->sums().moved();
    double factors[3], shear[3], largest = 0.0;
    for (int k = 0; k < 3; k++) {
      const double rate = this->dt4 * (this->omega_dot[k] + this->mtk_term2);
      factors[k] = exp(-rate);
      largest = std::max(largest, std::fabs(rate));
      shear[k] = -this->dthalf * this->omega_dot[3 + k];
    }
    this->threadpool->sums().note_factor(exp(2.0 * largest));
    const bool triclinic = this->p_flag[3] || this->p_flag[4] || this->p_flag[5];
    this->atoms().scale_and_shear(factors, triclinic ? shear : nullptr, bias());
  }

  void remap() override
  {
    if (this->rfix.empty())
      remap_on_pool(this->lmp, this->threadpool, this->allremap, this->dilate_group_bit,
                    [this] { Stock::remap(); });
    else
      Stock::remap();
  }

 private:
  StepSums::Stage at_begin, at_end;     // of a step
  TOFU_NS::StepChanges changes;         // by other fixes between two steps
  bool moves_alone = false;             // no other fix integrates
  bool long_range_is_unread = false;    // its virial, until the end of the step

  /** The temperature, if velocities have a bias. */
  class Compute *bias() const { return this->which != 0 ? this->temperature : nullptr; }

  /** Unless a bias, a shear of the box or another fix changes velocities in another way. */
  std::optional<StepSums::NextMove> next_move() const
  {
    const int *const p = this->p_flag;
    const bool shears = this->pstat_flag && (p[3] || p[4] || p[5]);
    if (!moves_alone || bias() || shears || !this->rfix.empty() ||
        changes.after(this->update->ntimestep))
      return {};
    return StepSums::NextMove{this->dtf, this->dtv};
  }
};

}    // namespace LAMMPS_NS

#endif
