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
PairStyle(edip/threadpool,PairEDIPThreadpool);
// clang-format on
#else

#ifndef LMP_PAIR_EDIP_THREADPOOL_H
#define LMP_PAIR_EDIP_THREADPOOL_H

#include "pair_edip.h"

#include "threadpool/manybody/centers_style.h"

#include "kernels/manybody/edip.h"

#include <vector>

namespace LAMMPS_NS {

class PairEDIPThreadpool : public CentersStyle<PairEDIP> {
 public:
  using CentersStyle::CentersStyle;
  void init_style() override;
  void compute(int, int) override;

 private:
  TOFU_NS::EDIPTables all;
  std::vector<double> distances, count_slopes;

  void fill_tables();
  void fill_distances();
};

}    // namespace LAMMPS_NS

#endif
#endif
