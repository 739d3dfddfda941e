/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifdef BOND_CLASS
// clang-format off
BondStyle(fene/expand/threadpool,BondFENEExpandThreadpool);
// clang-format on
#else

#ifndef LMP_BOND_FENE_EXPAND_THREADPOOL_H
#define LMP_BOND_FENE_EXPAND_THREADPOOL_H

#include "bond_fene_expand.h"

#include "threadpool/bonded/bonded_style.h"

namespace LAMMPS_NS {

class BondFENEExpandThreadpool : public BondedStyle<BondFENEExpand, 2> {
 public:
  using BondedStyle::BondedStyle;

 protected:
  void compute_on_pool() override;

 private:
  void warn(int i, int j, int type);
};

}    // namespace LAMMPS_NS

#endif
#endif
