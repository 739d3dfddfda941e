// SPDX-License-Identifier: GPL-2.0-only
//
// Options of a transport, and its report on its links: plain data.

#ifndef TOFU_TRANSPORT_TRANSPORT_OPTIONS_H
#define TOFU_TRANSPORT_TRANSPORT_OPTIONS_H

#include "link.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace TOFU_NS {

class SharedMemory;
struct OfiFaults;

struct TransportOptions {
  std::string backend = "auto";    // one of backend_choices()
  LinkOptions link;
  int nlanes = 1;
  int nendpoints = 1;                               // of the network; at least one per lane
  std::string provider;                             // of libfabric; empty: the first that can do it
  std::string interface;                            // name or address to listen on; empty: decide
  double warn_seconds = 30.0;                       // warn about a wait of this length, then go on
  std::function<void(const std::string &)> warn;    // may be empty
  int shuffle_seed = 0;    // of a random order in which messages are read; 0: as they arrive

  // for tests

  SharedMemory *shared_memory = nullptr;    // in place of the host's; outlives the transport
  const OfiFaults *ofi_faults = nullptr;    // of libfabric; read by connect()
};

/** Use of one backend on this rank. */
struct BackendUse {
  std::string name, title;    // as in the table
  int npeers = 0;             // that it serves
  int nfallback = 0;          // peers that it was meant to serve and that the last resort serves
  std::string reason;         // of the first of those; empty if there is none
  std::string detail;         // what this rank uses of it: a provider, queues
};

/** Result of connect() on this rank. */
struct ConnectReport {
  std::vector<BackendUse> uses;    // one per name, in the order of the table
  std::string last_resort;         // title
  int nmain_thread = 0;            // peers whose links are for the thread that initialised MPI
  std::string error;               // not empty: the request cannot be met, do not use the transport
  std::uint64_t nregistered = 0;    // regions made for incoming messages
  std::uint64_t nbytes_registered = 0;

  /** Of one backend; all zeros for a name that is not in the table. */
  BackendUse use_of(const std::string &name) const
  {
    for (const BackendUse &use : uses)
      if (use.name == name) return use;
    return {};
  }
};

}    // namespace TOFU_NS

#endif
