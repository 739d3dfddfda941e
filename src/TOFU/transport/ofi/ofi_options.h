// SPDX-License-Identifier: GPL-2.0-only
//
// Options of the libfabric backend, and the address that two ranks exchange for it: plain data.

#ifndef TOFU_TRANSPORT_OFI_OPTIONS_H
#define TOFU_TRANSPORT_OFI_OPTIONS_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace TOFU_NS {

/** Faults to be injected, for tests; none by default. */
struct OfiFaults {
  int refuse_registration = 0;    // the k-th registration fails, counted from 1
  unsigned busy_writes = 0;       // so many of every 8 attempts to write find the queue full
  std::uint64_t scramble = 0;     // seed: completions are reported late and in any order; 0 = off
  int lose_completion = 0;        // the k-th own write is not reported, counted from 1
  int lose_message = 0;           // the k-th message of a peer is not reported, counted from 1

  // other ways in which a provider may report completions

  bool own_with_data_flag = false;       // own writes with FI_REMOTE_CQ_DATA
  bool own_without_write = false;        // and without FI_WRITE
  bool notices_without_write = false;    // of peers without FI_REMOTE_WRITE
  bool notices_with_context = false;     // of peers with a context of no request
};

struct OfiOptions {
  std::string provider;    // empty: the first suitable one, in libfabric's order
  std::string source;      // address to listen on, for providers that have IP addresses
  bool threads = false;    // endpoints are used by different threads at the same time
  OfiFaults faults;
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
