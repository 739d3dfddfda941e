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
PairStyle(sw/threadpool,PairSWThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_SW_THREADPOOL_H
#define LMP_PAIR_SW_THREADPOOL_H

#include "pair_sw.h"

#include "threadpool/manybody/sw_style.h"

namespace LAMMPS_NS {

class PairSWThreadpool : public SWStyle<PairSW> {
 public:
  using SWStyle::SWStyle;
};

}    // namespace LAMMPS_NS

#endif
#endif
