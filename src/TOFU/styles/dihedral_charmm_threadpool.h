/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

/* ----------------------------------------------------------------------
   Contributing authors: the TOFU developers
------------------------------------------------------------------------- */

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
