// SPDX-License-Identifier: GPL-2.0-only

#ifdef TOFU_UTOFU

#include "utofu_backend.h"

#include "transport/bootstrap.h"
#include "transport/transport_options.h"
#include "utofu_endpoint.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

namespace TOFU_NS {

namespace {

  constexpr const char *ENTRIES = "UTOFU_NUM_MRQ_ENTRIES";

  /** Entries of the receive queue of a queue of the hardware: of the six lengths that there are,
      the one next to that which the environment asks for. */
  std::size_t receive_queue_length()
  {
    const char *text = std::getenv(ENTRIES);
    if (!text || !*text) return 131072;
    char *end;
    double wanted = std::strtod(text, &end);
    if (std::strcmp(end, "Ki") == 0) wanted *= 1024.0;
    if (std::strcmp(end, "Mi") == 0) wanted *= 1048576.0;
    std::size_t nearest = 2048;
    for (std::size_t length = 2048; length <= 2097152; length *= 4)
      if (std::abs(wanted - static_cast<double>(length)) <
          std::abs(wanted - static_cast<double>(nearest)))
        nearest = length;
    return nearest;
  }

  std::vector<int> network_interfaces(std::string &why)
  {
    utofu_tni_id_t *ids = nullptr;
    std::size_t n = 0;
    const int code = utofu_get_onesided_tnis(&ids, &n);
    std::vector<int> interfaces;
    if (code == UTOFU_SUCCESS) interfaces.assign(ids, ids + n);
    std::free(ids);
    if (interfaces.empty()) why = utofu_message("no network interface", code);
    return interfaces;
  }

  /** Number of this rank on its node, so that ranks begin with different interfaces. */
  int rank_on_node(const Bootstrap &bootstrap)
  {
    const char *text = std::getenv("PLE_RANK_ON_NODE");
    return text ? std::atoi(text) : bootstrap.rank() % std::max(bootstrap.ranks_on_node(), 1);
  }

  class UtofuBackend : public Backend {
   public:
    explicit UtofuBackend(const BackendResources &resources) :
        rank_(resources.bootstrap.rank()), first_(rank_on_node(resources.bootstrap)),
        nlanes_(resources.options.nlanes), endpoints_(resources.options.nendpoints)
    {
    }

    bool prepare(const std::vector<PeerNeed> &peers, std::byte *addresses,
                 std::string &why) override
    {
      peers_ = peers;
      if (!create_endpoints(why) || !fits_receive_queues(why) || !set_memory(why)) {
        endpoints_.clear();
        return false;
      }
      for (std::size_t i = 0; i < peers.size(); i++) {
        const UtofuEndpoint &endpoint = endpoint_of(i);
        const UtofuAddress address{1, endpoint.epoch(), endpoint.id(),
                                   endpoint.remote_address(endpoint.incoming() + in_at_[i])};
        std::memcpy(addresses + i * sizeof(address), &address, sizeof(address));
      }
      return true;
    }

    std::unique_ptr<Channel> open(std::size_t i, const std::byte *theirs, std::string &why) override
    {
      UtofuAddress address;
      std::memcpy(&address, theirs, sizeof(address));
      if (!address.exists) return nullptr;    // the peer says why
      const auto &endpoint = endpoints_[peers_[i].endpoint];
      try {
        return make_utofu_channel(endpoint, peers_[i], endpoint->incoming() + in_at_[i],
                                  endpoint->outgoing() + out_at_[i], address);
      } catch (const TransportError &failure) {
        why = failure.what();
        return nullptr;
      }
    }

    void all_opened() override {}
    std::string detail() const override { return detail_; }
    RegisteredMemory registered() const override { return registered_; }

   private:
    UtofuEndpoint &endpoint_of(std::size_t i) const { return *endpoints_[peers_[i].endpoint]; }

    // on interfaces of their own as long as there are enough; where there is no more room, peers go
    // to another endpoint of the same lane, which one thread serves

    bool create_endpoints(std::string &why)
    {
      const std::vector<int> interfaces = network_interfaces(why);
      if (interfaces.empty()) return false;
      std::vector<bool> needed(endpoints_.size());
      for (const PeerNeed &peer : peers_) needed[peer.endpoint] = true;
      std::string refusal;
      for (std::size_t e = 0; e < endpoints_.size(); e++)
        if (needed[e]) endpoints_[e] = create_endpoint(e, interfaces, refusal);
      for (PeerNeed &peer : peers_) {
        std::size_t e = peer.endpoint;
        for (std::size_t k = 0; k < endpoints_.size() && !endpoints_[e]; k++)
          e = (e + nlanes_) % endpoints_.size();
        if (!endpoints_[e] || e % nlanes_ != static_cast<std::size_t>(peer.endpoint) % nlanes_) {
          why = "rank " + std::to_string(rank_) + " got no queue of the network for each of its " +
              std::to_string(nlanes_) + " communication threads: " + refusal +
              "; use fewer threads, or fewer ranks on a node";
          return false;
        }
        peer.endpoint = static_cast<int>(e);
      }
      describe();
      return true;
    }

    std::shared_ptr<UtofuEndpoint>
    create_endpoint(std::size_t e, const std::vector<int> &interfaces, std::string &refusal) const
    {
      for (std::size_t k = 0; k < interfaces.size(); k++) {
        const std::size_t i = (first_ * endpoints_.size() + e + k) % interfaces.size();
        bool full = false;
        try {
          return std::make_shared<UtofuEndpoint>(interfaces[i], full);
        } catch (const TransportError &failure) {
          refusal = failure.what();
          if (!full) return nullptr;
        }
      }
      return nullptr;
    }

    void describe()
    {
      int n = 0;
      std::string list;
      for (const auto &endpoint : endpoints_) {
        if (!endpoint) continue;
        n++;
        list += (list.empty() ? "" : " ") + std::to_string(endpoint->interface());
      }
      detail_ =
          std::to_string(n) + (n == 1 ? " queue" : " queues") + ", network interfaces " + list;
    }

    // a queue that overflows ends the process: it must hold all that may come while no thread
    // polls.  Queues on one interface may share one of the hardware

    bool fits_receive_queues(std::string &why) const
    {
      std::map<int, std::size_t> nnotices;
      for (const PeerNeed &peer : peers_)
        nnotices[endpoints_[peer.endpoint]->interface()] += utofu_notices(peer.nslots);
      const std::size_t limit = receive_queue_length();
      for (const auto &[interface, n] : nnotices) {
        if (n <= limit) continue;
        why = "rank " + std::to_string(rank_) + " may get " + std::to_string(n) +
            " notices on network interface " + std::to_string(interface) +
            " while it computes, but the receive queue has " + std::to_string(limit) +
            " entries; set " + ENTRIES +
            " to a larger number of 8192, 32768 ... 2097152, or use "
            "fewer slots or more endpoints";
        return false;
      }
      return true;
    }

    bool set_memory(std::string &why)
    {
      std::vector<std::size_t> nbytes_in(endpoints_.size()), nbytes_out(endpoints_.size());
      for (const PeerNeed &peer : peers_) {
        in_at_.push_back(nbytes_in[peer.endpoint]);
        out_at_.push_back(nbytes_out[peer.endpoint]);
        nbytes_in[peer.endpoint] +=
            UtofuRegion(peer.nslots, utofu_capacity(peer.recv_capacity)).nbytes();
        nbytes_out[peer.endpoint] +=
            UtofuRegion(peer.nslots, utofu_capacity(peer.send_capacity)).nbytes();
      }
      try {
        for (std::size_t e = 0; e < endpoints_.size(); e++) {
          if (nbytes_in[e] == 0) {
            endpoints_[e].reset();    // its peers went elsewhere
            continue;
          }
          endpoints_[e]->set_memory(nbytes_in[e], nbytes_out[e]);
          registered_.nregions++;
          registered_.nbytes += nbytes_in[e];
        }
      } catch (const TransportError &failure) {
        why = failure.what();
        return false;
      }
      return true;
    }

    const int rank_;
    const std::size_t first_;
    const std::size_t nlanes_;
    std::vector<PeerNeed> peers_;
    std::vector<std::shared_ptr<UtofuEndpoint>> endpoints_;
    std::vector<std::size_t> in_at_, out_at_;    // [npeers] where their bytes begin
    std::string detail_;
    RegisteredMemory registered_;
  };

}    // namespace

/* ---------------------------------------------------------------------- */

std::unique_ptr<Backend> make_utofu_backend(const BackendResources &resources)
{
  return std::make_unique<UtofuBackend>(resources);
}

}    // namespace TOFU_NS

#endif
