// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef DIHEDRAL_CLASS
// clang-format off
DihedralStyle(quadratic/threadpool,DihedralQuadraticThreadpool);
// clang-format on
#else

#ifndef LMP_DIHEDRAL_QUADRATIC_THREADPOOL_H
#define LMP_DIHEDRAL_QUADRATIC_THREADPOOL_H

#include "dihedral_quadratic.h"

#include "threadpool/bonded/bonded_style.h"

namespace LAMMPS_NS {

class DihedralQuadraticThreadpool : public BondedStyle<DihedralQuadratic, 4> {
 public:
  using BondedStyle::BondedStyle;

 protected:
  void compute_on_pool() override;
};

}    // namespace LAMMPS_NS

#endif
#endif
