/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#ifndef LMP_REBUILD_LISTS_H
#define LMP_REBUILD_LISTS_H

namespace LAMMPS_NS {

enum class LoopKind { RUN, MINIMIZATION };    // whose fixes are called

/** What Verlet::run() and Min::energy_force() do in a step in which neighbor lists are built: atoms
    change ranks, ghosts and lists are new. */
void rebuild_lists(class LAMMPS *, class RankPool *, class NeighborCheck &, LoopKind);

}    // namespace LAMMPS_NS

#endif
