// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef IMPROPER_CLASS
// clang-format off
ImproperStyle(distance/threadpool,ImproperDistanceThreadpool);
// clang-format on
#else

#ifndef LMP_IMPROPER_DISTANCE_THREADPOOL_H
#define LMP_IMPROPER_DISTANCE_THREADPOOL_H

#include "improper_distance.h"

#include "threadpool/bonded/bonded_style.h"

namespace LAMMPS_NS {

/** k d^2 + k4 d^4 by the distance d of the first atom from the plane of the others. */
class ImproperDistanceThreadpool : public BondedStyle<ImproperDistance, 4> {
 public:
  using BondedStyle::BondedStyle;

 protected:
  Row row(int) const override;
  void kernel(const Coefficients &, const BondedJob &, PairTally &) override;
};

}    // namespace LAMMPS_NS

#endif
#endif
