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
PairStyle(tersoff/threadpool,PairTersoffThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_TERSOFF_THREADPOOL_H
#define LMP_PAIR_TERSOFF_THREADPOOL_H

#include "pair_tersoff.h"

#include "threadpool/manybody/tersoff_style.h"

namespace LAMMPS_NS {

class PairTersoffThreadpool : public TersoffStyle<PairTersoff, TOFU_NS::TersoffForm::PLAIN> {
 public:
  using TersoffStyle::TersoffStyle;
};

}    // namespace LAMMPS_NS

#endif
#endif
