// SPDX-License-Identifier: GPL-2.0-only
//
// Dissipative particle dynamics (Groot and Warren, J. Chem. Phys. 107, 4423 (1997)): a soft
// repulsion, friction along the line of two atoms, and a random force, all of which fall to 0 at
// the cut-off.  With w = 1 - r/cut:
//    force = a0 w - gamma w^2 (dv . r)/r + sqrt(2 gamma kT / dt) w noise

#ifndef TOFU_KERNELS_DPD_H
#define TOFU_KERNELS_DPD_H

#include "kernels/data/pair_data.h"

#include <cstdint>

namespace TOFU_NS {

struct DpdCoefficients {
  static constexpr int NCOEFFICIENTS = 4;

  int ntypes = 0;
  PairTable table;    // [ntypes+1][ntypes+1][4] cut-off squared, inverse of it, a0, gamma
  double largest_cutsq = 0.0;
  double noise = 0.0;        // 2 kT / dt
  std::uint32_t seed = 1;    // of the random numbers, with the step
  std::uint64_t step = 0;
  const double *v = nullptr;    // [natoms][3] velocities
};

/** Rows [first, last) of half lists.  The fourth value of an atom's row is
    its id.  Friction and repulsion of special bonds get the factor of Lennard-Jones, random forces
    its square root. */
void dissipative_particles(const DpdCoefficients &, const PairJob &, int first, int last,
                           PairTally &);

}    // namespace TOFU_NS

#endif
