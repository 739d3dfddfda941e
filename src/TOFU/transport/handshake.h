// SPDX-License-Identifier: GPL-2.0-only
//
// Handshake: how every pair of ranks agrees on the backend between them.
//
//   greeting         the same protocol?
//   offers           process, node, networks, size of messages
//   shared memory    where my slots for you are; whether I could map yours.  Pairs that could not
//                    with an anonymous block try again with a named one
//   network          where my libfabric window for you is; whether I could open yours; whether
//                    something went there and came from there
//
// Every rank takes part in all rounds with all peers concerned whatever happens to it, so that a
// failure on one side, memory that runs out included, cannot leave the other one waiting: it only
// makes the pair use MPI, or puts an error into the report.  Two builds of TOFU that do not fit say
// so.

#ifndef TOFU_TRANSPORT_HANDSHAKE_H
#define TOFU_TRANSPORT_HANDSHAKE_H

#include "bootstrap.h"
#include "channel_shm.h"
#include "liveness.h"
#include "network_interface.h"
#include "ofi_backend.h"
#include "shm_segment.h"
#include "transport_error.h"
#include "transport_options.h"

namespace TOFU_NS {

class MpiBackend;

/** One peer, in and out. */
struct HandshakePeer {
  int rank;
  std::size_t send_capacity;           // bytes of the largest usual message to it
  int endpoint = 0;                    // dealt to it
  std::unique_ptr<Channel> channel;    // result; empty only if the report has an error
  ProcessIdentity identity;            // result
  bool over_mpi = false;               // result
};

class Handshake {
 public:
  Handshake(Bootstrap &bootstrap, SharedMemory &shared_memory, MpiBackend *mpi,
            const TransportOptions &options, std::vector<HandshakePeer> &peers,
            ConnectReport &report);

  /** Collective between all pairs. */
  void run();

 private:
  // plain data that two peers swap

  struct Offer {
    ProcessIdentity identity;
    HostNetworks networks;
    std::int64_t node;
    std::uint64_t capacity;
  };

  struct SharedPlace {
    char name[64];    // of the block, empty: there is none
    std::uint64_t block_bytes;
    std::uint64_t offset;
  };

  struct Verdict {
    std::uint32_t opened;
    char why[156];    // not, if that is known
  };

  enum class Way { SHM, OFI, MPI };
  using Peers = std::vector<std::size_t>;    // indices in peers_

  bool greet();
  void swap_offers();
  void choose_ways();
  void share_memory(SharedMemory::Kind kind);
  std::shared_ptr<SharedBlock> offer_memory(SharedMemory::Kind kind, const Peers &peers,
                                            std::vector<SharedPlace> &places);
  void use_shared_memory(std::size_t i, const ShmRegion &outgoing, const ShmRegion &incoming);
  void use_network();
  void open_network(const Peers &peers, std::vector<OfiWindow> &windows);
  bool open_window(std::size_t i, const OfiWindow &theirs);
  void fall_back();
  void use_mpi(std::size_t i);
  void keep_what_both_have();
  Peers unserved(Way way) const;
  template <class Block>
  std::vector<Block> swap(const Peers &peers, const std::vector<Block> &mine);
  std::vector<bool> both_opened(const Peers &peers, const std::vector<bool> &opened,
                                std::string &why);
  std::vector<bool> make_contact(const Peers &peers, const std::vector<bool> &opened);
  enum class Contact { MADE, AWAITED, IMPOSSIBLE };
  Contact look_for_contact(std::size_t i);
  template <class Work> void within_memory(std::string &why, Work work);

  Bootstrap &bootstrap_;
  SharedMemory &shared_memory_;
  MpiBackend *mpi_;
  const TransportOptions &options_;
  std::vector<HandshakePeer> &peers_;
  ConnectReport &report_;

  std::vector<Offer> mine_, theirs_;    // [npeers]
  std::vector<Way> way_;                // [npeers]
  std::unique_ptr<OfiBackend> network_;
  std::vector<int> window_of_;    // [npeers] number of the peer in the network backend, -1 none
  std::string no_shared_memory_, no_network_;    // why
};

}    // namespace TOFU_NS

#endif
