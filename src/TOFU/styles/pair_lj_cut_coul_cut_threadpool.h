/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifdef PAIR_CLASS
// clang-format off
PairStyle(lj/cut/coul/cut/threadpool,PairLJCutCoulCutThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_CUT_COUL_CUT_THREADPOOL_H
#define LMP_PAIR_LJ_CUT_COUL_CUT_THREADPOOL_H

#include "pair_lj_cut_coul_cut.h"

#include "threadpool/pair/pairwise_style.h"

namespace LAMMPS_NS {

class PairLJCutCoulCutThreadpool :
    public PairwiseStyle<PairLJCutCoulCut, PairOnPool::Preferred::HALF> {
 public:
  using PairwiseStyle::PairwiseStyle;
  void compute(int, int) override;
};

}    // namespace LAMMPS_NS

#endif
#endif
