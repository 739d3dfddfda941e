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
PairStyle(lj/charmm/coul/long/threadpool,PairLJCharmmCoulLongThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_LJ_CHARMM_COUL_LONG_THREADPOOL_H
#define LMP_PAIR_LJ_CHARMM_COUL_LONG_THREADPOOL_H

#include "pair_lj_charmm_coul_long.h"

#include "threadpool/pair/clustered_style.h"

namespace LAMMPS_NS {

class PairLJCharmmCoulLongThreadpool : public ClusteredStyle<PairLJCharmmCoulLong> {
 public:
  using ClusteredStyle::ClusteredStyle;
  void compute(int, int) override;
};

}    // namespace LAMMPS_NS

#endif
#endif
