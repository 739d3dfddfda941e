// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// The network between the nodes of a job, from a file or from the system.

#ifndef TOFU_SYSTEM_NETWORK_H
#define TOFU_SYSTEM_NETWORK_H

#include <memory>

namespace LAMMPS_NS {
class LAMMPS;
}

namespace TOFU_NS {

class NodeNetwork;
class RankNodes;
struct PlaceSettings;

/** From the file of the settings, or else from Fujitsu's MPI, the interconnect or Slurm, the first
    that knows it.  Collective; nullptr on other ranks than 0, and if nothing is known.
    error->one() if the file is wrong. */
std::unique_ptr<NodeNetwork> find_network(LAMMPS_NS::LAMMPS *lmp, const RankNodes &nodes,
                                          const PlaceSettings &settings);

}    // namespace TOFU_NS

#endif
