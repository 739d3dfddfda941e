// SPDX-License-Identifier: GPL-2.0-only

#include "ofi_backend.h"

#ifdef TOFU_OFI

#include "ofi_endpoint.h"
#include "transport/bootstrap.h"
#include "transport/transport_options.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace TOFU_NS {

namespace {

  constexpr std::uint32_t API = FI_VERSION(1, 14);
  constexpr std::size_t NOTICE_BYTES = 4;    // of completion data that a write carries

  using InfoPtr = std::unique_ptr<fi_info, InfoFreer>;

  char *copy_of(const std::string &text)
  {
    return strdup(text.c_str());    // fi_freeinfo() frees it
  }

  InfoPtr make_hints(const OfiOptions &options)
  {
    InfoPtr hints(fi_allocinfo());
    hints->ep_attr->type = FI_EP_RDM;
    hints->caps = FI_RMA | FI_WRITE | FI_REMOTE_WRITE;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->domain_attr->mr_mode =
        FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_PROV_KEY | FI_MR_ALLOCATED | FI_MR_ENDPOINT;
    hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
    hints->domain_attr->threading = options.threads ? FI_THREAD_SAFE : FI_THREAD_DOMAIN;
    if (!options.provider.empty()) hints->fabric_attr->prov_name = copy_of(options.provider);
    return hints;
  }

  bool has_ip_address(const fi_info &info)
  {
    return info.addr_format == FI_SOCKADDR || info.addr_format == FI_SOCKADDR_IN ||
        info.addr_format == FI_SOCKADDR_IN6;
  }

  // providers that only emulate what others do, or serve one node, must be asked for by name

  bool is_chosen_by_name_only(const std::string &provider)
  {
    for (const char *word : {"shm", "udp", "sockets", "net", "hook", "lpp", "sm2"})
      if (provider.find(word) != std::string::npos) return true;
    return false;
  }

  std::string objection_to(const fi_info &info, bool asked_for)
  {
    const fi_domain_attr &attr = *info.domain_attr;
    if (!asked_for && is_chosen_by_name_only(info.fabric_attr->prov_name))
      return "is used only when it is asked for";
    if (attr.cq_data_size < NOTICE_BYTES) return "has no remote completion data";
    if (attr.mr_key_size > sizeof(std::uint64_t)) return "has keys of more than 8 bytes";
    return "";
  }

  InfoPtr get_info(const char *source, const fi_info *hints, std::string &why)
  {
    fi_info *list = nullptr;
    const int status = fi_getinfo(API, source, nullptr, source ? FI_SOURCE : 0, hints, &list);
    if (status != 0) why = ofi_message("no provider for reliable RMA writes", status);
    return InfoPtr(list);
  }

  std::shared_ptr<OfiDomain> open_domain(const fi_info &info, std::string &why)
  {
    auto made = std::make_shared<OfiDomain>();
    made->info.reset(fi_dupinfo(&info));
    made->provider = info.fabric_attr->prov_name;
    fid_fabric *fabric;
    int status = fi_fabric(info.fabric_attr, &fabric, nullptr);
    if (status == 0) {
      made->fabric.reset(fabric);
      fid_domain *domain;
      status = fi_domain(fabric, made->info.get(), &domain, nullptr);
      if (status == 0) {
        made->domain.reset(domain);
        return made;
      }
    }
    why = ofi_message(("provider " + made->provider).c_str(), status);
    return nullptr;
  }

  // the first that opens; one with IP addresses listens on the given one

  std::shared_ptr<OfiDomain> choose_domain(const OfiOptions &options, std::string &why)
  {
    const InfoPtr hints = make_hints(options);
    const InfoPtr all = get_info(nullptr, hints.get(), why);
    for (const fi_info *info = all.get(); info; info = info->next) {
      const std::string name = info->fabric_attr->prov_name;
      const std::string objection = objection_to(*info, !options.provider.empty());
      if (!objection.empty()) {
        why = "provider " + name + " " + objection;
        continue;
      }
      InfoPtr bound;
      if (has_ip_address(*info) && !options.source.empty()) {
        const InfoPtr named(fi_dupinfo(hints.get()));
        std::free(named->fabric_attr->prov_name);
        named->fabric_attr->prov_name = copy_of(name);
        bound = get_info(options.source.c_str(), named.get(), why);
        if (!bound) continue;
      }
      if (auto domain = open_domain(bound ? *bound : *info, why)) return domain;
    }
    return nullptr;
  }

  /** Loopback if all peers are on this host. */
  std::string address_to_listen_on(const std::string &interface, const std::vector<PeerNeed> &peers)
  {
    std::vector<HostNetworks> others;
    for (const PeerNeed &peer : peers)
      if (!peer.on_this_host) others.push_back(peer.networks);
    return choose_address(interface, local_networks(), others);
  }

  class OfiBackend : public Backend {
   public:
    explicit OfiBackend(const BackendResources &resources) :
        rank_(resources.bootstrap.rank()), interface_(resources.options.interface),
        endpoints_(resources.options.nendpoints)
    {
      options_.provider = resources.options.provider;
      options_.threads = resources.options.nlanes > 1;
    }

    // one region for writes from peers per endpoint, and one to send from if the provider asks for
    // that; nothing listens before this

    bool prepare(const std::vector<PeerNeed> &peers, std::byte *addresses,
                 std::string &why) override
    {
      if (peers.size() > OfiNotice::MAX_INDEX) {
        why = std::to_string(peers.size()) + " peers are more than " +
            std::to_string(OfiNotice::MAX_INDEX) + " that a notice can tell apart";
        return false;
      }
      peers_ = peers;
      options_.source = address_to_listen_on(interface_, peers);
      domain_ = choose_domain(options_, why);
      if (!domain_ || !make_endpoints(why)) return false;
      for (std::size_t i = 0; i < peers.size(); i++) {
        const OfiAddress address = address_for(i);
        std::memcpy(addresses + i * sizeof(address), &address, sizeof(address));
      }
      return true;
    }

    std::unique_ptr<Channel> open(std::size_t i, const std::byte *theirs, std::string &why) override
    {
      OfiAddress address;
      std::memcpy(&address, theirs, sizeof(address));
      const std::string provider(address.provider);
      if (provider.empty()) return nullptr;    // the peer says why
      if (provider != domain_->provider) {
        why = "rank " + std::to_string(peers_[i].peer) + " has provider " + provider + ", rank " +
            std::to_string(rank_) + " has " + domain_->provider;
        return nullptr;
      }
      const auto &endpoint = endpoints_[peers_[i].endpoint];
      try {
        return make_ofi_channel(endpoint, peers_[i], static_cast<std::uint32_t>(i),
                                endpoint->incoming() + in_at_[i], endpoint->outgoing() + out_at_[i],
                                address);
      } catch (const TransportError &failure) {
        why = failure.what();
        return nullptr;
      }
    }

    void all_opened() override {}
    std::string detail() const override { return domain_ ? domain_->provider : ""; }
    RegisteredMemory registered() const override { return registered_; }

   private:
    bool make_endpoints(std::string &why)
    {
      std::vector<std::size_t> nbytes_in(endpoints_.size()), nbytes_out(endpoints_.size());
      std::vector<std::size_t> ncompletions(endpoints_.size());
      for (const PeerNeed &peer : peers_) {
        in_at_.push_back(nbytes_in[peer.endpoint]);
        out_at_.push_back(nbytes_out[peer.endpoint]);
        nbytes_in[peer.endpoint] += ofi_region_bytes(peer.nslots, peer.recv_capacity);
        nbytes_out[peer.endpoint] += ofi_region_bytes(peer.nslots, peer.send_capacity);
        ncompletions[peer.endpoint] += 3 * peer.nslots + 4;    // puts, arrivals, lone credits
      }
      try {
        for (std::size_t e = 0; e < endpoints_.size(); e++) {
          if (nbytes_in[e] == 0) continue;    // no peer was assigned to it
          endpoints_[e] = std::make_shared<OfiEndpoint>(domain_, ncompletions[e]);
          endpoints_[e]->set_memory(nbytes_in[e], nbytes_out[e]);
          registered_.nregions++;
          registered_.nbytes += nbytes_in[e];
        }
      } catch (const TransportError &failure) {
        why = "provider " + domain_->provider + ": " + failure.what();
        return false;
      }
      return true;
    }

    OfiAddress address_for(std::size_t i) const
    {
      OfiAddress address{};
      const OfiEndpoint &endpoint = *endpoints_[peers_[i].endpoint];
      const auto name = endpoint.address();
      std::snprintf(address.provider, sizeof(address.provider), "%s", domain_->provider.c_str());
      std::memcpy(address.endpoint, name.data(), name.size());
      address.nendpoint = name.size();
      address.base = endpoint.remote_base() + in_at_[i];
      address.key = endpoint.remote_key();
      address.index = static_cast<std::uint32_t>(i);
      address.secret = endpoint.secret();
      return address;
    }

    const int rank_;
    const std::string interface_;
    OfiOptions options_;
    std::vector<PeerNeed> peers_;
    std::shared_ptr<OfiDomain> domain_;
    std::vector<std::shared_ptr<OfiEndpoint>> endpoints_;
    std::vector<std::size_t> in_at_, out_at_;    // [npeers] where their slots begin
    RegisteredMemory registered_;
  };

}    // namespace

/* ---------------------------------------------------------------------- */

std::unique_ptr<Backend> make_ofi_backend(const BackendResources &resources)
{
  return std::make_unique<OfiBackend>(resources);
}

}    // namespace TOFU_NS

#else

namespace TOFU_NS {

namespace {

  constexpr const char *NO_LIBFABRIC = "TOFU was built without libfabric";

  class NoOfiBackend : public Backend {
   public:
    bool prepare(const std::vector<PeerNeed> &, std::byte *, std::string &why) override
    {
      why = NO_LIBFABRIC;
      return false;
    }
    std::unique_ptr<Channel> open(std::size_t, const std::byte *, std::string &) override
    {
      return nullptr;
    }
    void all_opened() override {}
    std::string detail() const override { return ""; }
    RegisteredMemory registered() const override { return {}; }
  };

}    // namespace

/* ---------------------------------------------------------------------- */

std::unique_ptr<Backend> make_ofi_backend(const BackendResources &)
{
  return std::make_unique<NoOfiBackend>();
}

}    // namespace TOFU_NS

#endif
