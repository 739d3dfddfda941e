/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_DPD_ON_POOL_H
#define LMP_DPD_ON_POOL_H

#include "pointers.h"

#include "base/aligned_array.h"
#include "kernels/pair/dpd.h"

namespace LAMMPS_NS {

/** What dissipative particle dynamics needs of LAMMPS. */
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
