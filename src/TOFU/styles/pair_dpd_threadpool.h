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

#ifdef PAIR_CLASS
// clang-format off
PairStyle(dpd/threadpool,PairDPDThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_DPD_THREADPOOL_H
#define LMP_PAIR_DPD_THREADPOOL_H

#include "pair_dpd.h"

#include "threadpool/pair/dpd_style.h"

namespace LAMMPS_NS {

class PairDPDThreadpool : public DpdStyle<PairDPD> {
 public:
  using DpdStyle::DpdStyle;

  void compute(int eflag, int vflag) override { compute_dpd(eflag, vflag, true); }
};

}    // namespace LAMMPS_NS

#endif
#endif
