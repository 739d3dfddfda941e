// SPDX-License-Identifier: GPL-2.0-only
// TOFU, a package of LAMMPS (https://www.lammps.org), by the TOFU developers; GNU GPL, see LICENSE

// Links of this rank to its peers: when they are made, what the log says of them, and the threads
// that drive them.

#ifndef TOFU_PEER_LINKS_H
#define TOFU_PEER_LINKS_H

#include "halo/links/message_sizes.h"
#include "halo/links/partner_links.h"
#include "halo/links/tiled_links.h"
#include "p2p_settings.h"
#include "pointers.h"

#include "transport/bootstrap.h"
#include "transport/comm_team.h"
#include "transport/node_watch.h"
#include "transport/transport.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace TOFU_NS {

class PeerLinks : protected LAMMPS_NS::Pointers {
 public:
  /** Collective. */
  PeerLinks(LAMMPS_NS::LAMMPS *lmp, const P2PSettings &settings);

  /** Whether a plan has been connected. */
  bool exist() const { return transport_ != nullptr; }
  Transport &transport() { return *transport_; }
  const Transport &transport() const { return *transport_; }

  /** Threads that drive the links, nullptr: the caller drives them all. */
  CommTeam *team() { return team_.get(); }

  PartnerLinks &partners() { return partners_; }
  const PartnerLinks &partners() const { return partners_; }

  /** Linked ranks, ascending: neighbors of the plan and others. */
  const std::vector<int> &peers() const { return peers_; }

  /** To be called before a run: sizes of messages may have changed, and counters begin anew. */
  void begin_run();

  /** Whether the links of a tiled layout serve the present plan, so that it need not be made anew.

      \param neighbors   SubBoxes::neighbor_signature() */
  bool serve_tiles(const std::vector<double> &neighbors) const;

  /** Choose the peers of a plan, and set its signature.

      \param neighbors_of   neighbors of another rank in its plan */
  void choose_in_grid(HaloPlan &plan, const PartnerLinks::RanksOf &neighbors_of);

  /** Choose the peers of a plan of tiles, and set its signature.  Collective where `neighbors` or
      partners are new.

      \param neighbors       SubBoxes::neighbor_signature()
      \param neighbors_of    neighbors of another rank in its plan
      \param nearby          ranks within TiledLinks::REACH cut-offs, ascending */
  void choose_of_tiles(HaloPlan &plan, const std::vector<double> &neighbors,
                       const PartnerLinks::RanksOf &neighbors_of,
                       const std::function<std::vector<int>()> &nearby);

  /** Make the links of a plan unless they are there and their slots are large enough.  Collective
      where the signature is new, and in the first call of a run.

      \param sizes   of messages; the density is set here */
  void connect(const HaloPlan &plan, MessageSizes &sizes);

  const ConnectReport &report() const { return report_; }

  struct Counts {    // since the style was chosen
    LAMMPS_NS::bigint nconnects = 0;
    LAMMPS_NS::bigint nregistered = 0;    // regions
  };
  const Counts &counts() const { return counts_; }

 private:
  TransportOptions options_;
  std::unique_ptr<Bootstrap> bootstrap_;    // the transport uses it until its end
  std::unique_ptr<NodeWatch> watch_;
  std::unique_ptr<CommTeam> team_;
  PartnerLinks partners_;
  TiledLinks of_tiles_;
  std::vector<int> peers_;
  std::vector<int> hops_;             // [npeers] how many sub-boxes away
  std::vector<int> linked_;           // signature of the plan that the transport was made for
  bool sizes_are_checked_ = false;    // in this run
  std::unique_ptr<Transport> transport_;
  ConnectReport report_;
  std::string logged_;    // last line about backends in the log
  Counts counts_;

  std::vector<double> basis_of_links(std::vector<double> neighbors) const;
  bool are_for_tiles() const;
  bool slots_are_too_small(const HaloPlan &plan, const MessageSizes &sizes) const;
  std::string text_of_lowest_rank(const std::string &text) const;
  void report_problems();
  void log_backends();
};

}    // namespace TOFU_NS

#endif
