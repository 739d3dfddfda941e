// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef IMPROPER_CLASS
// clang-format off
ImproperStyle(cvff/threadpool,ImproperCvffThreadpool);
// clang-format on
#else

#ifndef LMP_IMPROPER_CVFF_THREADPOOL_H
#define LMP_IMPROPER_CVFF_THREADPOOL_H

#include "improper_cvff.h"

#include "threadpool/bonded/bonded_style.h"

namespace LAMMPS_NS {

class ImproperCvffThreadpool : public BondedStyle<ImproperCvff, 4> {
 public:
  using BondedStyle::BondedStyle;

 protected:
  void compute_on_pool() override;
};

}    // namespace LAMMPS_NS

#endif
#endif
