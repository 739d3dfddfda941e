/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_NEIGHBOR_CHECK_H
#define LMP_NEIGHBOR_CHECK_H

#include "pointers.h"

#include "lammps/last_build.h"

namespace LAMMPS_NS {

/** Neighbor::decide() with the check of distances on the pool. */
class NeighborCheck : protected Pointers {
 public:
  using Pointers::Pointers;

  /** Neighbor has just built its lists: keep the box. */
  void hold();

  /** Whether the neighbor lists must be built anew in this step, as Neighbor::decide() says; once a
      step, by all ranks. */
  bool decide(class RankPool *);

 private:
  double boxlo_hold[3], boxhi_hold[3];
  TOFU_NS::LastBuild held;

  bool box_moves() const;
  double trigger() const;
  bool check_distance(class RankPool *) const;
};

}    // namespace LAMMPS_NS

#endif
