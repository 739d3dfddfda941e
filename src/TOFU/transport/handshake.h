// SPDX-License-Identifier: GPL-2.0-only
//
// Handshake: how every pair of ranks agrees on the backend between them.
//
//   round 1  who is there: process, node, networks, size of messages
//   round 2  where my slots for you are: shared memory or a libfabric window
//   round 3  whether I could open yours
//
// Every rank takes part in all rounds with all peers whatever happens to it, so that a failure on
// one side cannot leave the other one waiting: it only makes the pair use MPI.

#ifndef TOFU_TRANSPORT_HANDSHAKE_H
#define TOFU_TRANSPORT_HANDSHAKE_H

#include "transport.h"

#include "network_interface.h"
#include "ofi_backend.h"

namespace TOFU_NS {

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

  /** Collective between all pairs.

      Returns: the block that holds this rank's incoming slots in shared memory, may be empty */
  std::shared_ptr<SharedBlock> run();

 private:
  // plain data that two peers swap

  struct Offer {
    ProcessIdentity identity;
    HostNetworks networks;
    std::int64_t node;
    std::uint64_t capacity;
  };

  struct Place {
    char name[64];    // of the shared block
    std::uint64_t block_bytes;
    std::uint64_t offset;
    std::uint32_t shared;    // 1 = there is one
    OfiWindow window;
  };

  struct Verdict {
    std::uint32_t opened;
  };

  enum class Way { SHM, OFI, MPI };

  void swap_offers();
  void choose_ways();
  void make_shared_block();
  void open_network();
  void swap_places();
  void open_theirs();
  void agree();
  void use_shared_memory(std::size_t i);
  void use_network(std::size_t i);
  void use_mpi(std::size_t i);
  void fall_back(std::size_t i);
  template <class Block> std::vector<Block> swap(const std::vector<Block> &mine);

  Bootstrap &bootstrap_;
  SharedMemory &shared_memory_;
  MpiBackend *mpi_;
  const TransportOptions &options_;
  std::vector<HandshakePeer> &peers_;
  ConnectReport &report_;

  std::vector<int> ranks_;    // of the peers, as are all that follow: [npeers]
  std::vector<Offer> mine_, theirs_;
  std::vector<Way> way_;
  std::vector<Place> my_places_, places_;
  std::vector<Verdict> my_verdicts_, verdicts_;
  std::vector<std::shared_ptr<SharedBlock>> blocks_;    // theirs, mapped

  std::shared_ptr<SharedBlock> block_;
  std::unique_ptr<OfiBackend> network_;
  std::vector<int> window_of_;    // [npeers] number of the peer in the network backend, -1 none
  std::string no_shared_memory_, no_network_;    // why
};

}    // namespace TOFU_NS

#endif
