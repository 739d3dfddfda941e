// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef DIHEDRAL_CLASS
// clang-format off
DihedralStyle(charmm/threadpool,DihedralCharmmThreadpool);
// clang-format on
#else

#ifndef LMP_DIHEDRAL_CHARMM_THREADPOOL_H
#define LMP_DIHEDRAL_CHARMM_THREADPOOL_H

#include "dihedral_charmm.h"

#include "threadpool/bonded/charmm_dihedral_style.h"

namespace LAMMPS_NS {

class DihedralCharmmThreadpool : public CharmmDihedralStyle<DihedralCharmm> {
 public:
  using CharmmDihedralStyle::CharmmDihedralStyle;
};

}    // namespace LAMMPS_NS

#endif
#endif
