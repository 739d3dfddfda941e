// SPDX-License-Identifier: GPL-2.0-only
//
// What a transport is told, and what it says of its links: plain data.

#ifndef TOFU_TRANSPORT_TRANSPORT_OPTIONS_H
#define TOFU_TRANSPORT_TRANSPORT_OPTIONS_H

#include "link.h"
#include "ofi_options.h"

#include <cstdint>
#include <functional>
#include <string>

namespace TOFU_NS {

/** AUTO: shared memory within a node, libfabric between nodes, MPI where one of them fails. */
enum class BackendChoice { AUTO, SHM, OFI, MPI };

struct TransportOptions {
  BackendChoice backend = BackendChoice::AUTO;
  LinkOptions link;
  int nlanes = 1;
  int nendpoints = 1;                // of libfabric; at least one per lane
  std::string provider;              // of libfabric; empty: the first that can do it
  std::string interface;             // name or address to listen on; empty: decide
  OfiFaults ofi_faults;              // tests
  std::uint64_t shuffle_seed = 0;    // tests: deliver arrivals late and in another order; 0 = off
  double warn_seconds = 30.0;        // tell the user about a wait of this length, then go on
  std::function<void(const std::string &)> warn;    // may be empty
};

/** What came out of connect() on this rank. */
struct ConnectReport {
  int nshm = 0, nofi = 0, nmpi = 0;    // peers by backend
  std::string provider;                // of libfabric, if it is used
  int nfallback = 0;              // of nmpi, peers on this node that shared memory could not serve
  std::string fallback_reason;    // of the first of those
  std::string network_reason;     // not empty: MPI is used where libfabric was meant to be, and why
  std::string error;              // not empty: the request cannot be met, do not use the transport
  std::uint64_t nregistered = 0;    // regions made for incoming messages
  std::uint64_t nbytes_registered = 0;
};

}    // namespace TOFU_NS

#endif
