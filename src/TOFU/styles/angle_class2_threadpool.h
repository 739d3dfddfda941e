// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef ANGLE_CLASS
// clang-format off
AngleStyle(class2/threadpool,AngleClass2Threadpool);
// clang-format on
#else

#ifndef LMP_ANGLE_CLASS2_THREADPOOL_H
#define LMP_ANGLE_CLASS2_THREADPOOL_H

#include "angle_class2.h"

#include "threadpool/bonded/bonded_style.h"

namespace LAMMPS_NS {

class AngleClass2Threadpool : public BondedStyle<AngleClass2, 3> {
 public:
  using BondedStyle::BondedStyle;

 protected:
  void compute_on_pool() override;
};

}    // namespace LAMMPS_NS

#endif
#endif
