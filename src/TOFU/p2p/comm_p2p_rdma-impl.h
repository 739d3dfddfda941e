// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// The parts of CommP2PRDMA, and how they are connected.

#ifndef LMP_COMM_P2P_RDMA_IMPL_H
#define LMP_COMM_P2P_RDMA_IMPL_H

#include "comm_p2p_rdma.h"

#include "appended_ghosts.h"
#include "atom_exchange.h"
#include "lammps/ghost_exchange.h"
#include "p2p/ghosts/ghost_borders.h"
#include "p2p/ghosts/ghost_updates.h"
#include "p2p/links/exchange_calls.h"
#include "p2p/links/p2p_settings.h"
#include "p2p/links/peer_links.h"
#include "p2p/places/placed_grid.h"
#include "p2p/shell/ghost_pattern.h"
#include "p2p/shell/sub_boxes.h"
#include "p2p_statistics.h"

namespace LAMMPS_NS {

class CommP2PRDMA::Impl final : public GhostExchange, public AppendedGhosts::Host, Pointers {
 public:
  Impl(LAMMPS *lmp, const TOFU_NS::P2PSettings &settings_in);

  // each part refers to parts above it alone

  TOFU_NS::P2PSettings settings;
  TOFU_NS::PlacedGrid grid;    // keyword place
  TOFU_NS::CommSizes sizes;    // values per atom, since the last init()

  // setup(): sub-boxes -> pattern and shell -> plan -> links

  TOFU_NS::SubBoxes boxes;
  TOFU_NS::GhostPattern pattern;
  TOFU_NS::HaloPlan halo_plan;
  TOFU_NS::MessageSizes message_sizes;    // for the slots of links
  TOFU_NS::PeerLinks links;
  TOFU_NS::ExchangeCalls calls;    // time of all that follows, by phase

  // a step: lists and messages of swaps, and what travels in them

  TOFU_NS::HaloExchange exchange;
  TOFU_NS::PackingBuffer buffer;
  TOFU_NS::PackedExchange packed;
  TOFU_NS::GhostBorders borders;    // borders()
  TOFU_NS::GhostUpdates updates;    // forward_comm() and reverse_comm() of atoms
  TOFU_NS::AtomExchange atoms;      // exchange()
  AppendedGhosts appended;          // of ranks that compute rows for each other
  TOFU_NS::P2PStatistics statistics;

  /** A plan for sub-boxes and cut-offs as they are now, and its links. */
  void make_plan();

  // interface for styles of this package

  bool half_shell() const override { return pattern.half(); }
  int nghost_of_pattern() const override { return borders.nghost(); }
  bool returns_rows_alone() const override;
  void reverse_comm_of_rows() override;
  double reach_of_links() const override;
  void expect_near_atoms() override { atoms.expect_near_atoms(); }

  // interface for appended ghosts

  using Messages = AppendedGhosts::Messages;

  TOFU_NS::HaloPlan &plan() override { return halo_plan; }
  TOFU_NS::HaloExchange &halo() override { return exchange; }
  const std::vector<int> &linked_ranks() const override { return links.peers(); }
  bool links_receiver_to_owner(int receiver, int owner) const override;
  void send_messages(const Messages &out, Messages &in) override { calls.send_messages(out, in); }
  void receive_messages() override { calls.receive_messages(); }
  double *packing_buffer(int natoms) override;
  void plan_has_changed() override;
  void ghosts_were_appended() override { updates.register_arrays(); }

 private:
  TOFU_NS::Parts parts_of_rank() const;
  void grow_arrays();
};

}    // namespace LAMMPS_NS

#endif
