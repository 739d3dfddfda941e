/* -*- c++ -*- ----------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   This software is distributed under the GNU General Public License.
   SPDX-License-Identifier: GPL-2.0-only
   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

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

/** From the file of the settings, or from Fujitsu's MPI or Slurm.  Collective; nullptr on other
    ranks than 0, and if nothing is known.  error->one() if the file is wrong. */
std::unique_ptr<NodeNetwork> find_network(LAMMPS_NS::LAMMPS *lmp, const RankNodes &nodes,
                                          const PlaceSettings &settings);

}    // namespace TOFU_NS

#endif
