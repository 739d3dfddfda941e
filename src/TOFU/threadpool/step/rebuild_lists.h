// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

#ifndef LMP_REBUILD_LISTS_H
#define LMP_REBUILD_LISTS_H

namespace LAMMPS_NS {

enum class LoopKind { RUN, MINIMIZATION };    // whose fixes are called

/** What Verlet::run() and Min::energy_force() do in a step in which neighbor lists are built: atoms
    change ranks, ghosts and lists are new. */
void rebuild_lists(class LAMMPS *, class RankPool *, class NeighborCheck &, LoopKind);

}    // namespace LAMMPS_NS

#endif
