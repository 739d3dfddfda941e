// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// Replace the communication style, or place its ranks.

#ifndef TOFU_CHANGE_COMM_H
#define TOFU_CHANGE_COMM_H

namespace LAMMPS_NS {
class LAMMPS;
}

namespace TOFU_NS {

struct P2PSettings;
struct PlaceSettings;

/** Make comm_style p2p/rdma the communication style of this LAMMPS object.  The placement of ranks
    by the present style stays unless the settings have another. */
void install_comm_p2p_rdma(LAMMPS_NS::LAMMPS *lmp, const P2PSettings &settings);

/** Go back to comm_style brick; does nothing if that is the present one. */
void install_comm_brick(LAMMPS_NS::LAMMPS *lmp);

/** Go to LAMMPS' comm_style tiled; does nothing if that is the present one. */
void install_comm_tiled(LAMMPS_NS::LAMMPS *lmp);

/** Have the present style, brick or p2p/rdma, place ranks when the next grid is made.

    \param command   for messages, e.g. "package tofu" */
void install_placement(LAMMPS_NS::LAMMPS *lmp, const PlaceSettings &settings, const char *command);

}    // namespace TOFU_NS

#endif
