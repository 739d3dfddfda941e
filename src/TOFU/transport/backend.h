// SPDX-License-Identifier: GPL-2.0-only
//
// Backend: one way to move messages between two ranks, as the handshake sees it.
//
// A backend prepares what some peers need, gives an address for each of them, gets the addresses
// that the peers have for this rank, and makes channels.  An address is a block of bytes whose
// meaning only the backend knows.
//
// The table of all backends is in backends.h.

#ifndef TOFU_TRANSPORT_BACKEND_H
#define TOFU_TRANSPORT_BACKEND_H

#include "channel.h"
#include "network_interface.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace TOFU_NS {

class Bootstrap;
struct TransportOptions;

/** Pairs of ranks that a backend serves.

    NODE         pairs that share memory.  A user who asks for it by name gets an error if it fails
    NETWORK      all pairs; the first choice for those on different nodes
    LAST_RESORT  all pairs that no other backend serves */
enum class Reach { NODE, NETWORK, LAST_RESORT };

/** Data of a peer that needs a channel. */
struct PeerNeed {
  int peer;        // its rank
  int endpoint;    // of this rank, to which the peer was assigned
  int nslots;
  std::size_t send_capacity, recv_capacity;    // payload bytes per slot
  bool on_this_host;
  HostNetworks networks;    // of its host
};

/** Memory that was made accessible to peers. */
struct RegisteredMemory {
  std::uint64_t nregions = 0, nbytes = 0;
};

/** A new backend is made for every connect(); its channels keep alive the resources that they
    need. */
class Backend {
 public:
  virtual ~Backend() = default;

  /** Make what these peers need.  Once.

      \param peers       at least one
      \param addresses   [peers.size() * BackendRow::address_bytes], zero; gets for each peer what
                         it needs to reach this rank
      \param why         gets the reason of a failure
      \return            false if nothing can be used.  May throw std::bad_alloc */
  virtual bool prepare(const std::vector<PeerNeed> &peers, std::byte *addresses,
                       std::string &why) = 0;

  /** Make the channel to a peer.

      \param i        index of the peer in prepare()
      \param theirs   address that the peer has for this rank; zeros: it has none
      \param why      gets the reason of a failure, unless the peer knows it better
      \return         nullptr if that failed.  May throw std::bad_alloc */
  virtual std::unique_ptr<Channel> open(std::size_t i, const std::byte *theirs,
                                        std::string &why) = 0;

  /** Called when all peers have opened what they could: addresses are not needed any more. */
  virtual void all_opened() = 0;

  /** Description of the channels for the user: a provider; may be empty. */
  virtual std::string detail() const = 0;
  virtual RegisteredMemory registered() const = 0;
};

/** Resources from which backends are made. */
struct BackendResources {
  Bootstrap &bootstrap;
  const void *comm;    // pointer to an MPI_Comm; nullptr: this program has no MPI
  const TransportOptions &options;
};

/** One row of the table. */
struct BackendRow {
  const char *name;     // for the user's choice; rows of one name are attempts, one after the other
  const char *title;    // for messages and statistics
  Reach reach;
  bool any_thread;    // false: its links are for the thread that initialised MPI
  std::size_t address_bytes;

  /** Collective over the ranks of the transport.

      \return   nullptr if this program does not have the backend */
  std::unique_ptr<Backend> (*make)(const BackendResources &resources);
};

using BackendTable = std::vector<BackendRow>;

}    // namespace TOFU_NS

#endif
