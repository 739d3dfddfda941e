// SPDX-License-Identifier: GPL-2.0-only
//
// Handshake: every pair of ranks agrees on the backend between them.
//
//   greeting    compares protocol version and backends
//   offers      swaps process, node, networks, size of messages
//   attempts    for each row of the table of backends, with the peers of the row that have no
//               channel yet: swaps addresses; whether both sides could open them; whether data have
//               passed in both directions
//
// Every rank takes part in all rounds with all peers concerned, also after a failure, so that a
// failure on one side, memory that runs out included, never leaves the other one waiting: the pair
// uses the next row, or the report gets an error.  A channel that one side lacks is dropped by the
// other before it carries data of the user.

#ifndef TOFU_TRANSPORT_HANDSHAKE_H
#define TOFU_TRANSPORT_HANDSHAKE_H

#include "backend.h"
#include "bootstrap.h"
#include "liveness.h"
#include "transport_options.h"

namespace TOFU_NS {

/** One peer, in and out. */
struct HandshakePeer {
  int rank;
  std::size_t send_capacity;           // bytes of the largest usual message to the peer
  int endpoint = 0;                    // of this rank, that serves the peer
  std::unique_ptr<Channel> channel;    // result; empty only if the report has an error
  ProcessIdentity identity;            // result
  const BackendRow *row = nullptr;     // result: row of the backend that serves the peer
};

class Handshake {
 public:
  Handshake(const BackendResources &resources, const BackendTable &table,
            std::vector<HandshakePeer> &peers, ConnectReport &report);

  /** Collective over the ranks of the transport, since pairs exchange messages and some backends
      are made collectively. */
  void run();

 private:
  // plain data that two peers swap

  struct Offer {
    ProcessIdentity identity;
    HostNetworks networks;
    std::int64_t node;
    std::uint64_t capacity;
  };

  struct Verdict {
    std::uint32_t opened;
    char why[156];    // the channel was not opened, if the reason is known
  };

  using Peers = std::vector<std::size_t>;    // indices in peers_

  bool greet();
  void swap_offers();
  void refuse_other_nodes();
  bool is_for(const BackendRow &row, std::size_t i) const;
  bool is_meant_for(const BackendRow &row, std::size_t i) const;
  Peers unserved_by_others(const BackendRow &row) const;
  BackendUse &use_of(const BackendRow &row);
  void attempt(const BackendRow &row, Backend &backend);
  void try_to_serve(const BackendRow &row, Backend &backend, const Peers &peers, std::string &why);
  std::vector<bool> open_channels(const BackendRow &row, Backend &backend, const Peers &peers,
                                  std::string &why);
  PeerNeed need_of(std::size_t i) const;
  std::vector<bool> make_contact(const Peers &peers, const std::vector<bool> &opened,
                                 const BackendRow &row, const std::string &detail,
                                 std::string &why);
  enum class Contact { MADE, AWAITED, IMPOSSIBLE };
  Contact poll_contact(std::size_t i, std::string &why);
  void warn_of_fallbacks();
  void report_unserved();

  template <class Block>
  std::vector<Block> swap(const Peers &peers, const std::vector<Block> &mine);
  void swap_bytes(const Peers &peers, const void *mine, void *theirs, std::size_t nbytes);
  std::vector<bool> both_opened(const Peers &peers, const std::vector<bool> &opened,
                                std::string &why);
  template <class Work> void within_memory(std::string &why, Work work);

  const BackendResources &resources_;
  Bootstrap &bootstrap_;
  const ProcessIdentity self_;
  const TransportOptions &options_;
  const BackendTable &table_;
  std::vector<HandshakePeer> &peers_;
  ConnectReport &report_;
  std::vector<Offer> theirs_;    // [npeers]
};

}    // namespace TOFU_NS

#endif
