// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef ANGLE_CLASS
// clang-format off
AngleStyle(fourier/threadpool,AngleFourierThreadpool);
// clang-format on
#else

#ifndef LMP_ANGLE_FOURIER_THREADPOOL_H
#define LMP_ANGLE_FOURIER_THREADPOOL_H

#include "angle_fourier.h"

#include "threadpool/bonded/bonded_style.h"

namespace LAMMPS_NS {

class AngleFourierThreadpool : public BondedStyle<AngleFourier, 3> {
 public:
  using BondedStyle::BondedStyle;

 protected:
  void compute_on_pool() override;
};

}    // namespace LAMMPS_NS

#endif
#endif
