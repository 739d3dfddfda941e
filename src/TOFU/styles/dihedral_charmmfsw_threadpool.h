// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifdef DIHEDRAL_CLASS
// clang-format off
DihedralStyle(charmmfsw/threadpool,DihedralCharmmfswThreadpool);
// clang-format on
#else

#ifndef LMP_DIHEDRAL_CHARMMFSW_THREADPOOL_H
#define LMP_DIHEDRAL_CHARMMFSW_THREADPOOL_H

#include "dihedral_charmmfsw.h"

#include "threadpool/bonded/charmm_dihedral_style.h"

namespace LAMMPS_NS {

class DihedralCharmmfswThreadpool : public CharmmDihedralStyle<DihedralCharmmfsw> {
 public:
  using CharmmDihedralStyle::CharmmDihedralStyle;

 protected:
  /** With a long-range solver, Coulomb forces are not shifted. */
  void shift_pairs(TOFU_NS::OneFourTables &tables) const override
  {
    tables.shifted = true;
    tables.inverse_cut = dihedflag ? 0.0 : cut_coulinv14;
    tables.shift3 = cut_lj_inner6inv * cut_lj6inv;
    tables.shift4 = cut_lj_inner3inv * cut_lj3inv;
  }
};

}    // namespace LAMMPS_NS

#endif
#endif
