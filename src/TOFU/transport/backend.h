// SPDX-License-Identifier: GPL-2.0-only
//
// Backend: one way to move messages between two ranks; the interface that the handshake uses.
//
// A backend allocates resources for some peers, gives an address to each of them, receives the
// addresses that the peers have for this rank, and makes channels.  An address is a block of bytes
// that only the backend interprets.
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

    NODE         pairs that share memory.  If the user has chosen it by name, a failure is an error
    NETWORK      all pairs; the first choice for those on different nodes
    LAST_RESORT  all pairs that no other backend serves */
enum class Reach { NODE, NETWORK, LAST_RESORT };

/** Requirements of a channel to a peer. */
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

/** A new backend is made for every connect(); its channels keep the resources that they need. */
class Backend {
 public:
  virtual ~Backend() = default;

  /** Allocate the resources for all peers.  Called once.

      \param peers       at least one
      \param addresses   [peers.size() * BackendRow::address_bytes], zero; gets for each peer the
                         address of this rank
      \param why         gets the reason of a failure
      \return            false if nothing can be used.  May throw std::bad_alloc */
  virtual bool prepare(const std::vector<PeerNeed> &peers, std::byte *addresses,
                       std::string &why) = 0;

  /** Make the channel to a peer.

      \param i        index of the peer in prepare()
      \param theirs   address that the peer has given to this rank; zeros: none
      \param why      gets the reason of a failure, unless the failure is the peer's
      \return         nullptr if that failed.  May throw std::bad_alloc */
  virtual std::unique_ptr<Channel> open(std::size_t i, const std::byte *theirs,
                                        std::string &why) = 0;

  /** Called after the last open() of all peers: addresses are not needed any more. */
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
  const char *name;     // for the user's choice; rows of one name are tried one after the other
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
