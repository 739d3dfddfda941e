// SPDX-License-Identifier: GPL-2.0-only
//
// Options of the libfabric backend, and the address that two ranks exchange for it: plain data.

#ifndef TOFU_TRANSPORT_OFI_OPTIONS_H
#define TOFU_TRANSPORT_OFI_OPTIONS_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace TOFU_NS {

struct OfiOptions {
  std::string provider;    // empty: the first suitable one, in libfabric's order
  std::string source;      // address to listen on, for providers that have IP addresses
  bool threads = false;    // endpoints are used by different threads at the same time
};

/** Address that a peer needs in order to write to this rank. */
struct OfiAddress {
  static constexpr std::size_t MAX_ENDPOINT = 128;

  char provider[64];                   // empty: this rank has none
  std::byte endpoint[MAX_ENDPOINT];    // address of the provider
  std::uint64_t nendpoint;             // bytes of that
  std::uint64_t base, key;             // of the slots for this peer
  std::uint32_t index, secret;         // that the peer adds to its notices
};

}    // namespace TOFU_NS

#endif
