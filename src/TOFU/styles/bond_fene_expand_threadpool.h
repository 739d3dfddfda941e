// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef BOND_CLASS
// clang-format off
BondStyle(fene/expand/threadpool,BondFENEExpandThreadpool);
// clang-format on
#else

#ifndef LMP_BOND_FENE_EXPAND_THREADPOOL_H
#define LMP_BOND_FENE_EXPAND_THREADPOOL_H

#include "bond_fene_expand.h"

#include "threadpool/bonded/bonded_style.h"

namespace LAMMPS_NS {

class BondFENEExpandThreadpool : public BondedStyle<BondFENEExpand, 2> {
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
