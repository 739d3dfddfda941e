// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_DPD_ON_POOL_H
#define LMP_DPD_ON_POOL_H

#include "pointers.h"

#include "base/aligned_array.h"
#include "kernels/pair/dpd.h"

namespace LAMMPS_NS {

/** Data of LAMMPS for the kernel of dissipative particle dynamics. */
class DpdOnPool : protected Pointers {
 public:
  DpdOnPool(LAMMPS *lmp) : Pointers(lmp) {}

  /** False if atoms have no ids, which random numbers depend on. */
  bool can_compute() const;

  /** Ids of owned and ghost atoms as numbers, up to the next call. */
  const double *ids();

  /** Everything but the coefficients of pairs of types. */
  TOFU_NS::DpdCoefficients coefficients(double temperature, int seed) const;

  /** Part of a run that is over, from 0 to 1. */
  double progress() const;

 private:
  TOFU_NS::AlignedArray<double> numbers;
};

}    // namespace LAMMPS_NS

#endif
