// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef DIHEDRAL_CLASS
// clang-format off
DihedralStyle(class2/threadpool,DihedralClass2Threadpool);
// clang-format on
#else

#ifndef LMP_DIHEDRAL_CLASS2_THREADPOOL_H
#define LMP_DIHEDRAL_CLASS2_THREADPOOL_H

#include "dihedral_class2.h"

#include "threadpool/bonded/bonded_style.h"

namespace LAMMPS_NS {

class DihedralClass2Threadpool : public BondedStyle<DihedralClass2, 4> {
 public:
  using BondedStyle::BondedStyle;

 protected:
  void compute_on_pool() override;

 private:
  void fill(int i, double *to) const;
};

}    // namespace LAMMPS_NS

#endif
#endif
