// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

/* ----------------------------------------------------------------------
   Common part of the temperatures with a bias and the suffix /threadpool.
------------------------------------------------------------------------- */

#ifndef LMP_THERMAL_TEMPERATURE_H
#define LMP_THERMAL_TEMPERATURE_H

#include "threadpool/pool/fix_on_pool.h"
#include "velocity_sums.h"

#include "update.h"

namespace LAMMPS_NS {

/** Stock: a temperature of LAMMPS, which removes its bias from atoms for others.  Derived classes
    compute velocities without the bias. */
template <class Stock> class ThermalTemperature : public ComputeOnPool<Stock> {
 public:
  ThermalTemperature(class LAMMPS *lmp, int narg, char **arg) :
      ComputeOnPool<Stock>(lmp, narg, arg),
      sums(lmp, this->groupbit,
           [this](int first, int last, double *to) { thermal_velocities(first, last, to); })
  {
  }

  double compute_scalar() override
  {
    if (!RankPool::find(this->lmp)) return Stock::compute_scalar();
    this->invoked_scalar = this->update->ntimestep;
    set_bias();
    double squares;
    sums.reduce_to_energies(sums.squares, &squares);
    if (this->dynamic) Stock::setup();    // counts degrees of freedom
    this->scalar = sums.temperature(squares, this->dof, this->natoms_temp);
    return this->scalar;
  }

  void compute_vector() override
  {
    if (!RankPool::find(this->lmp)) {
      Stock::compute_vector();
      return;
    }
    this->invoked_vector = this->update->ntimestep;
    set_bias();
    sums.reduce_to_energies(sums.products, this->vector);
  }

 protected:
  VelocitySums sums;

  /** Find the bias of velocities as they are now.  Collective. */
  virtual void set_bias() {}

  /** As VelocitySums::Velocities. */
  virtual void thermal_velocities(int first, int last, double *to) const = 0;
};

}    // namespace LAMMPS_NS

#endif
