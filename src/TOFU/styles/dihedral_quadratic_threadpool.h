/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

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
