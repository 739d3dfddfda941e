// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef DIHEDRAL_CLASS
// clang-format off
DihedralStyle(opls/threadpool,DihedralOPLSThreadpool);
// clang-format on
#else

#ifndef LMP_DIHEDRAL_OPLS_THREADPOOL_H
#define LMP_DIHEDRAL_OPLS_THREADPOOL_H

#include "dihedral_opls.h"

#include "threadpool/bonded/bonded_style.h"

namespace LAMMPS_NS {

class DihedralOPLSThreadpool : public BondedStyle<DihedralOPLS, 4> {
 public:
  using BondedStyle::BondedStyle;

 protected:
  void compute_on_pool() override;
};

}    // namespace LAMMPS_NS

#endif
#endif
