// SPDX-License-Identifier: GPL-2.0-only

#include "ofi_backend.h"

#ifdef TOFU_OFI

#include "ofi_endpoint.h"

#include <algorithm>
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

  std::shared_ptr<OfiDomain> open_domain(const fi_info &info, const OfiFaults &faults,
                                         std::string &why)
  {
    auto made = std::make_shared<OfiDomain>();
    made->info.reset(fi_dupinfo(&info));
    made->provider = info.fabric_attr->prov_name;
    made->faults = faults;
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
      if (auto domain = open_domain(bound ? *bound : *info, options.faults, why)) return domain;
    }
    return nullptr;
  }

  class RealOfiBackend : public OfiBackend {
   public:
    RealOfiBackend(std::shared_ptr<OfiDomain> domain, int nendpoints) :
        domain_(std::move(domain)), endpoints_(nendpoints)
    {
    }

    const std::string &provider() const override { return domain_->provider; }

    bool prepare(const std::vector<OfiNeed> &needs, std::string &why) override
    {
      needs_ = needs;
      in_at_.clear();
      out_at_.clear();
      if (needs.size() > OfiNotice::MAX_INDEX) {
        why = std::to_string(needs.size()) + " peers are more than " +
            std::to_string(OfiNotice::MAX_INDEX) + " that a notice can tell apart";
        return false;
      }

      std::vector<std::size_t> nbytes_in(endpoints_.size()), nbytes_out(endpoints_.size());
      std::vector<std::size_t> ncompletions(endpoints_.size());
      for (const OfiNeed &need : needs) {
        in_at_.push_back(nbytes_in[need.endpoint]);
        out_at_.push_back(nbytes_out[need.endpoint]);
        nbytes_in[need.endpoint] += ofi_region_bytes(need.nslots, need.recv_capacity);
        nbytes_out[need.endpoint] += ofi_region_bytes(need.nslots, need.send_capacity);
        ncompletions[need.endpoint] += 3 * need.nslots + 4;    // puts, arrivals, lone credits
      }
      try {
        for (std::size_t e = 0; e < endpoints_.size(); e++) {
          if (nbytes_in[e] == 0) continue;    // no peer was dealt to it
          endpoints_[e] = std::make_shared<OfiEndpoint>(domain_, ncompletions[e]);
          endpoints_[e]->set_memory(nbytes_in[e], nbytes_out[e]);
          nregistered_++;
          nbytes_ += nbytes_in[e];
        }
      } catch (const TransportError &failure) {
        why = "provider " + domain_->provider + ": " + failure.what();
        return false;
      }
      return true;
    }

    OfiWindow window(int i) const override
    {
      OfiWindow window{};
      const OfiEndpoint &endpoint = *endpoints_[needs_[i].endpoint];
      const auto address = endpoint.address();
      std::snprintf(window.provider, sizeof(window.provider), "%s", domain_->provider.c_str());
      std::memcpy(window.address, address.data(), address.size());
      window.naddress = address.size();
      window.base = endpoint.remote_base() + in_at_[i];
      window.key = endpoint.remote_key();
      window.index = static_cast<std::uint32_t>(i);
      return window;
    }

    std::uint64_t nregistered() const override { return nregistered_; }
    std::uint64_t nbytes_registered() const override { return nbytes_; }

    std::unique_ptr<Channel> make_channel(int i, const OfiWindow &theirs) override
    {
      const auto &endpoint = endpoints_[needs_[i].endpoint];
      return make_ofi_channel(endpoint, needs_[i], static_cast<std::uint32_t>(i),
                              endpoint->incoming() + in_at_[i], endpoint->outgoing() + out_at_[i],
                              theirs);
    }

   private:
    std::shared_ptr<OfiDomain> domain_;
    std::vector<std::shared_ptr<OfiEndpoint>> endpoints_;
    std::vector<OfiNeed> needs_;
    std::vector<std::size_t> in_at_, out_at_;    // [npeers] where their slots begin
    std::uint64_t nregistered_ = 0, nbytes_ = 0;
  };

}    // namespace

/* ---------------------------------------------------------------------- */

std::unique_ptr<OfiBackend> OfiBackend::open(const OfiOptions &options, std::string &why)
{
  auto domain = choose_domain(options, why);
  if (!domain) return nullptr;
  return std::make_unique<RealOfiBackend>(std::move(domain), options.nendpoints);
}

}    // namespace TOFU_NS

#else

namespace TOFU_NS {

std::unique_ptr<OfiBackend> OfiBackend::open(const OfiOptions &, std::string &why)
{
  why = "TOFU was built without libfabric";
  return nullptr;
}

}    // namespace TOFU_NS

#endif
