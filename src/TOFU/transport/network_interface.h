// SPDX-License-Identifier: GPL-2.0-only
//
// Choice of the address of this host to listen on: one in the job's network and in no other.

#ifndef TOFU_TRANSPORT_NETWORK_INTERFACE_H
#define TOFU_TRANSPORT_NETWORK_INTERFACE_H

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace TOFU_NS {

/** An IPv4 address of this host and the network behind it; host byte order, 0 = none. */
struct Ipv4Network {
  std::uint32_t address, mask;

  bool holds(const Ipv4Network &other) const
  {
    return mask && other.address && (address & mask) == (other.address & mask);
  }
};

/** Plain data, for the swap between peers; the first few interfaces that are up, no loopback. */
using HostNetworks = std::array<Ipv4Network, 8>;

HostNetworks local_networks();

/** The address to listen on, as text; empty if there is none.

    \param wanted   interface name or address, empty: decide
    \param mine     of this host
    \param peers    of the hosts of all peers on other hosts; if there are none, loopback is
                    chosen, else the first network that holds an address of every peer, else
                    the first */
std::string choose_address(const std::string &wanted, const HostNetworks &mine,
                           const std::vector<HostNetworks> &peers);

}    // namespace TOFU_NS

#endif
