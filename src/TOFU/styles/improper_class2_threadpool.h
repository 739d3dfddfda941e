// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef IMPROPER_CLASS
// clang-format off
ImproperStyle(class2/threadpool,ImproperClass2Threadpool);
// clang-format on
#else

#ifndef LMP_IMPROPER_CLASS2_THREADPOOL_H
#define LMP_IMPROPER_CLASS2_THREADPOOL_H

#include "improper_class2.h"

#include "threadpool/bonded/bonded_style.h"

namespace LAMMPS_NS {

class ImproperClass2Threadpool : public BondedStyle<ImproperClass2, 4> {
 public:
  using BondedStyle::BondedStyle;

 protected:
  void compute_on_pool() override;
};

}    // namespace LAMMPS_NS

#endif
#endif
