// SPDX-License-Identifier: GPL-2.0-only

#include "shm_backend.h"

#include "channel_shm.h"
#include "transport/bootstrap.h"
#include "transport/transport_options.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <random>

namespace TOFU_NS {

namespace {

  class ShmBackend : public Backend {
   public:
    ShmBackend(SharedMemory::Kind kind, const BackendResources &resources) :
        kind_(kind), bootstrap_(resources.bootstrap), memory_(resources.options.shared_memory)
    {
      if (memory_) return;
      of_this_host_ = make_posix_shared_memory();
      memory_ = of_this_host_.get();
    }

    // one block per rank holds the incoming slots of all these peers

    bool prepare(const std::vector<PeerNeed> &peers, std::byte *addresses,
                 std::string &why) override
    {
      peers_ = peers;
      std::size_t nbytes = 0;
      for (const PeerNeed &peer : peers) {
        offsets_.push_back(nbytes);
        nbytes += shm_region_bytes(peer.nslots, peer.recv_capacity);
      }

      block_ = memory_->create(kind_, new_label(), nbytes, why);
      if (!block_) return false;
      for (std::size_t i = 0; i < peers.size(); i++) {
        ShmAddress address{{}, nbytes, offsets_[i]};
        std::snprintf(address.name, sizeof(address.name), "%s", block_->name().c_str());
        std::memcpy(addresses + i * sizeof(address), &address, sizeof(address));
      }
      return true;
    }

    std::unique_ptr<Channel> open(std::size_t i, const std::byte *theirs, std::string &why) override
    {
      ShmAddress address;
      std::memcpy(&address, theirs, sizeof(address));
      if (address.name[0] == '\0') return nullptr;    // the peer says why
      const auto block = memory_->attach(address.name, address.block_bytes, why);
      if (!block) return nullptr;
      const PeerNeed &peer = peers_[i];
      registered_.nregions++;
      registered_.nbytes += shm_region_bytes(peer.nslots, peer.recv_capacity);
      return make_shm_channel({block, address.offset, peer.send_capacity},
                              {block_, offsets_[i], peer.recv_capacity});
    }

    void all_opened() override
    {
      if (block_) block_->unlink();
    }

    std::string detail() const override { return ""; }
    RegisteredMemory registered() const override { return registered_; }

   private:
    // another user cannot tell the next name from the last one

    std::string new_label() const
    {
      std::random_device device;
      const std::uint64_t random = static_cast<std::uint64_t>(device()) << 32 | device();
      char label[64];
      std::snprintf(label, sizeof(label), "/tofu-%016" PRIx64 "-%d-%016" PRIx64,
                    bootstrap_.job_id(), bootstrap_.rank(), random);
      return label;
    }

    const SharedMemory::Kind kind_;
    Bootstrap &bootstrap_;
    std::unique_ptr<SharedMemory> of_this_host_;
    SharedMemory *memory_;
    std::vector<PeerNeed> peers_;
    std::vector<std::size_t> offsets_;    // [npeers] of their slots in the block
    std::shared_ptr<SharedBlock> block_;
    RegisteredMemory registered_;
  };

}    // namespace

/* ---------------------------------------------------------------------- */

std::unique_ptr<Backend> make_anonymous_shm_backend(const BackendResources &resources)
{
  return std::make_unique<ShmBackend>(SharedMemory::Kind::ANONYMOUS, resources);
}

/* ---------------------------------------------------------------------- */

std::unique_ptr<Backend> make_named_shm_backend(const BackendResources &resources)
{
  return std::make_unique<ShmBackend>(SharedMemory::Kind::NAMED, resources);
}

}    // namespace TOFU_NS
