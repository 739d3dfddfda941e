// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef ANGLE_CLASS
// clang-format off
AngleStyle(table/threadpool,AngleTableThreadpool);
// clang-format on
#else

#ifndef LMP_ANGLE_TABLE_THREADPOOL_H
#define LMP_ANGLE_TABLE_THREADPOOL_H

#include "angle_table.h"

#include "threadpool/bonded/bonded_style.h"

namespace LAMMPS_NS {

class AngleTableThreadpool : public BondedStyle<AngleTable, 3> {
 public:
  using BondedStyle::BondedStyle;

 protected:
  void compute_on_pool() override;

 private:
  TOFU_NS::BondedTables curves;

  void report(const int *atoms);
};

}    // namespace LAMMPS_NS

#endif
#endif
