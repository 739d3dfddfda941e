// SPDX-License-Identifier: GPL-2.0-only

#include "network_interface.h"

#include <algorithm>
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

namespace TOFU_NS {

namespace {

  std::uint32_t address_of(const sockaddr *address)
  {
    return ntohl(reinterpret_cast<const sockaddr_in *>(address)->sin_addr.s_addr);
  }

  std::string text_of(std::uint32_t address)
  {
    in_addr bytes{};
    bytes.s_addr = htonl(address);
    char text[INET_ADDRSTRLEN];
    return inet_ntop(AF_INET, &bytes, text, sizeof(text)) ? text : "";
  }

  /** Call work(interface) for each one that is up and has an IPv4 address. */
  template <class Work> void for_interfaces(Work work)
  {
    ifaddrs *list = nullptr;
    if (getifaddrs(&list) != 0) return;
    for (const ifaddrs *one = list; one; one = one->ifa_next)
      if (one->ifa_addr && one->ifa_addr->sa_family == AF_INET && one->ifa_flags & IFF_UP)
        work(*one);
    freeifaddrs(list);
  }

  bool reaches(const Ipv4Network &network, const HostNetworks &peer)
  {
    return std::any_of(peer.begin(), peer.end(),
                       [&](const Ipv4Network &other) { return network.holds(other); });
  }

}    // namespace

/* ---------------------------------------------------------------------- */

HostNetworks local_networks()
{
  HostNetworks networks{};
  std::size_t n = 0;
  for_interfaces([&](const ifaddrs &one) {
    if (one.ifa_flags & IFF_LOOPBACK || !one.ifa_netmask || n == networks.size()) return;
    networks[n++] = {address_of(one.ifa_addr), address_of(one.ifa_netmask)};
  });
  return networks;
}

/* ---------------------------------------------------------------------- */

std::string choose_address(const std::string &wanted, const HostNetworks &mine,
                           const std::vector<HostNetworks> &peers)
{
  if (!wanted.empty()) {
    std::string found = wanted;
    for_interfaces([&](const ifaddrs &one) {
      if (wanted == one.ifa_name) found = text_of(address_of(one.ifa_addr));
    });
    return found;
  }
  if (peers.empty()) return "127.0.0.1";
  for (const Ipv4Network &network : mine)
    if (std::all_of(peers.begin(), peers.end(),
                    [&](const HostNetworks &peer) { return reaches(network, peer); }))
      return text_of(network.address);
  return mine[0].address ? text_of(mine[0].address) : "";
}

}    // namespace TOFU_NS
