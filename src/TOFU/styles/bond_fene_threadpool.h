// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef BOND_CLASS
// clang-format off
BondStyle(fene/threadpool,BondFENEThreadpool);
// clang-format on
#else

#ifndef LMP_BOND_FENE_THREADPOOL_H
#define LMP_BOND_FENE_THREADPOOL_H

#include "bond_fene.h"

#include "threadpool/bonded/bonded_style.h"

namespace LAMMPS_NS {

class BondFENEThreadpool : public BondedStyle<BondFENE, 2> {
 public:
  using BondedStyle::BondedStyle;

 protected:
  void compute_on_pool() override;

 private:
  void warn(int i, int j, int type);
};

}    // namespace LAMMPS_NS

#endif
#endif
