/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

/* ----------------------------------------------------------------------
   Common part of the Nose-Hoover fixes with the suffix /threadpool: loops over
   atoms on the parts of the pool.
------------------------------------------------------------------------- */

#ifndef LMP_NOSE_HOOVER_ON_POOL_H
#define LMP_NOSE_HOOVER_ON_POOL_H

#include "fix_on_pool.h"
#include "group_on_pool.h"

#include <cmath>

namespace LAMMPS_NS {

/** Stock: fix nvt, npt or nph.  A temperature with a bias, which is removed from one atom at a
    time, and rigid bodies in a changing box are left to it. */
template <class Stock> class NoseHooverOnPool : public FixOnPool<Stock> {
 public:
  using FixOnPool<Stock>::FixOnPool;

 protected:
  void nve_v() override { atoms().kick(this->dtf); }

  void nve_x() override { atoms().move(this->dtv); }

  void nh_v_temp() override
  {
    if (has_bias())
      Stock::nh_v_temp();
    else
      atoms().scale(this->factor_eta);
  }

  void nh_v_press() override
  {
    if (has_bias()) {
      Stock::nh_v_press();
      return;
    }
    double factors[3], shear[3];
    for (int k = 0; k < 3; k++) {
      factors[k] = exp(-this->dt4 * (this->omega_dot[k] + this->mtk_term2));
      shear[k] = -this->dthalf * this->omega_dot[3 + k];
    }
    const bool triclinic = this->p_flag[3] || this->p_flag[4] || this->p_flag[5];
    atoms().scale_and_shear(factors, triclinic ? shear : nullptr);
  }

  // the box changes as in stock code, which is told that no atom changes with it

  void remap() override
  {
    if (!this->rfix.empty()) {
      Stock::remap();
      return;
    }
    const BoxFrame before(this->lmp);
    const int all = this->allremap, group = this->dilate_group_bit;
    this->allremap = this->dilate_group_bit = 0;
    Stock::remap();
    this->allremap = all;
    this->dilate_group_bit = group;
    before.carry(this->threadpool, all, group);
  }

 private:
  bool has_bias() const { return this->which != 0; }

  GroupOnPool atoms() { return {this->lmp, this->threadpool, this->igroup, this->groupbit}; }
};

}    // namespace LAMMPS_NS

#endif
