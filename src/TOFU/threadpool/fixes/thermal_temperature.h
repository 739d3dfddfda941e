// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Common part of the temperatures with a bias and the suffix /threadpool.
------------------------------------------------------------------------- */

#ifndef LMP_THERMAL_TEMPERATURE_H
#define LMP_THERMAL_TEMPERATURE_H

#include "threadpool/pool/rank_pool.h"
#include "thermal_sums.h"

namespace LAMMPS_NS {

/** Stock: a temperature of LAMMPS, which removes its bias from atoms for others.  Derived classes
    say what is left of velocities without it. */
template <class Stock> class ThermalTemperature : public Stock {
 public:
  ThermalTemperature(class LAMMPS *lmp, int narg, char **arg) :
      Stock(lmp, narg, arg),
      sums(lmp, [this](int first, int last, double *to) { thermal_velocities(first, last, to); })
  {
  }

  void init() override
  {
    Stock::init();
    RankPool::of(this->lmp);
  }

  double compute_scalar() override
  {
    if (!sums.can_compute()) return Stock::compute_scalar();
    this->invoked_scalar = sums.step();
    set_bias();
    const double squares = sums.squares(this->groupbit);
    if (this->dynamic) Stock::setup();    // counts degrees of freedom
    this->scalar = sums.temperature(squares, this->dof, this->natoms_temp);
    return this->scalar;
  }

  void compute_vector() override
  {
    if (!sums.can_compute()) {
      Stock::compute_vector();
      return;
    }
    this->invoked_vector = sums.step();
    set_bias();
    sums.products(this->groupbit, this->vector);
  }

 protected:
  ThermalSums sums;

  /** Find the bias of velocities as they are now.  Collective. */
  virtual void set_bias() {}

  /** As ThermalSums::Velocities. */
  virtual void thermal_velocities(int first, int last, double *to) const = 0;
};

}    // namespace LAMMPS_NS

#endif
