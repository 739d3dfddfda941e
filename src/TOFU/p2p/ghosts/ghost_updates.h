// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// forward_comm() and reverse_comm() of atoms: positions and whatever else the atom style has, and
// forces, over memory that is registered where the links can use it.

#ifndef TOFU_GHOST_UPDATES_H
#define TOFU_GHOST_UPDATES_H

#include "comm_sizes.h"
#include "halo/messages/packed_exchange.h"
#include "halo/messages/position_exchange.h"
#include "pointers.h"

#include <vector>

namespace TOFU_NS {

class PeerLinks;

class GhostUpdates : protected LAMMPS_NS::Pointers {
 public:
  /** All must outlive this object.

      \param landing   whether owners may write positions straight into this rank's x, and forces
                       may be sent from f without a copy */
  GhostUpdates(LAMMPS_NS::LAMMPS *lmp, PeerLinks &links, const CommSizes &sizes,
               PackedExchange &packed, HaloExchange &halo, PositionExchange::PartsOfRank parts,
               bool landing);

  /** Find whether anything may read ghosts between the return of their forces and the next step; if
      not, their next positions may land in that time.  To be called by Comm::init(). */
  void begin_run();

  void forward();
  void reverse();

  /** Return the forces of those ghosts alone whose rows this rank computes. */
  void reverse_rows() { positions.reverse_rows(atom_forces()); }

  /** Whether the links can use registered arrays. */
  bool use_arrays() const;

  /** Register the arrays of atoms unless they are where they were.  To be called when there are new
      ghosts, so that no offer is open. */
  void register_arrays();

  /** # of registrations since the style was chosen. */
  LAMMPS_NS::bigint nregistered() const { return nregistrations; }

 private:
  PeerLinks &links;
  const CommSizes &sizes;
  PackedExchange &packed;
  PositionExchange positions;
  const bool landing_wanted;
  bool ghosts_are_unread = false;          // between reverse() and the next step
  const double *registered_x = nullptr;    // where ghosts may land
  LAMMPS_NS::bigint nregistrations = 0;
  std::vector<double *> vectors;    // that ghosts get with positions; of the step at hand

  double *atom_forces() const;
  void forward_all_values();
  GhostLanding landing() const;
  SelfImages::Box box() const;
};

}    // namespace TOFU_NS

#endif
