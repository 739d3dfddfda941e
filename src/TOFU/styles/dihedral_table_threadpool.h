// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef DIHEDRAL_CLASS
// clang-format off
DihedralStyle(table/threadpool,DihedralTableThreadpool);
// clang-format on
#else

#ifndef LMP_DIHEDRAL_TABLE_THREADPOOL_H
#define LMP_DIHEDRAL_TABLE_THREADPOOL_H

#include "dihedral_table.h"

#include "threadpool/bonded/bonded_style.h"

namespace LAMMPS_NS {

class DihedralTableThreadpool : public BondedStyle<DihedralTable, 4> {
 public:
  using BondedStyle::BondedStyle;

 protected:
  void compute_on_pool() override;

 private:
  TOFU_NS::BondedTables curves;
};

}    // namespace LAMMPS_NS

#endif
#endif
