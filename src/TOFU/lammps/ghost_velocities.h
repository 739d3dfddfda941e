// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// What ghosts get in each step besides positions with comm_modify vel yes.

#ifndef TOFU_GHOST_VELOCITIES_H
#define TOFU_GHOST_VELOCITIES_H

#include <vector>

namespace LAMMPS_NS {
class LAMMPS;
}

namespace TOFU_NS {

/** The arrays that AtomVec::pack_comm_vel() packs after positions, where ghosts have the same
    values as their owners.

    \param vectors   set to [natoms][3] of each; empty if the atom style sends anything else, or if
                     the velocity of a ghost depends on the boundary that it has crossed
    \return   whether vectors is what ghosts get. */
bool velocities_of_ghosts(const LAMMPS_NS::LAMMPS *lmp, std::vector<double *> &vectors);

}    // namespace TOFU_NS

#endif
