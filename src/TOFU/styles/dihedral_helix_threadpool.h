// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef DIHEDRAL_CLASS
// clang-format off
DihedralStyle(helix/threadpool,DihedralHelixThreadpool);
// clang-format on
#else

#ifndef LMP_DIHEDRAL_HELIX_THREADPOOL_H
#define LMP_DIHEDRAL_HELIX_THREADPOOL_H

#include "dihedral_helix.h"

#include "threadpool/bonded/bonded_style.h"

namespace LAMMPS_NS {

class DihedralHelixThreadpool : public BondedStyle<DihedralHelix, 4> {
 public:
  using BondedStyle::BondedStyle;

 protected:
  void compute_on_pool() override;
};

}    // namespace LAMMPS_NS

#endif
#endif
