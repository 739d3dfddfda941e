// SPDX-License-Identifier: GPL-2.0-only

#include "channel_shm.h"

#include <atomic>

namespace TOFU_NS {

namespace {

  static_assert(std::atomic<std::uint64_t>::is_always_lock_free,
                "flags shared between processes must not hide a lock");

  /** First line of a region.  Written by the receiver of the region's messages, read by the
      sender only when it runs out of credit. */
  struct alignas(CACHE_LINE) ShmControl {
    std::atomic<std::uint64_t> nreleased;
  };

  /** First line of a slot, as MessageHeader.  Written by the sender, `sequence` last with release
      order; the receiver loads it with acquire order and may then read header and payload. */
  struct alignas(CACHE_LINE) ShmHeader {
    std::atomic<std::uint64_t> sequence;
    std::uint64_t nbytes, credit, checksum;
    MessageKind kind;
    std::uint32_t more;
  };

  static_assert(sizeof(ShmHeader) == CACHE_LINE && sizeof(ShmControl) == CACHE_LINE,
                "one cache line each");

  /** One direction: control line, then nslots times header and payload. */
  class RegionView {
   public:
    explicit RegionView(const ShmRegion &region) :
        region_(region), base_(region.block->data() + region.offset)
    {
    }

    std::size_t capacity() const { return region_.capacity; }
    ShmControl &control() const { return *reinterpret_cast<ShmControl *>(base_); }
    ShmHeader &header(int slot) const { return *reinterpret_cast<ShmHeader *>(slot_base(slot)); }
    std::byte *payload(int slot) const { return slot_base(slot) + sizeof(ShmHeader); }

   private:
    std::byte *slot_base(int slot) const
    {
      return base_ + sizeof(ShmControl) + slot * (sizeof(ShmHeader) + region_.capacity);
    }

    ShmRegion region_;
    std::byte *base_;
  };

  class ShmChannel : public Channel {
   public:
    ShmChannel(const ShmRegion &outgoing, const ShmRegion &incoming) : out_(outgoing), in_(incoming)
    {
    }

    const char *name() const override { return "shm"; }

    std::byte *send_payload(int slot) override { return out_.payload(slot); }
    std::size_t send_capacity() const override { return out_.capacity(); }
    bool remote_stores() const override { return true; }
    ArrayAccess *arrays() override { return nullptr; }

    void put(int slot, const MessageHeader &header) override
    {
      ShmHeader &remote = out_.header(slot);
      remote.nbytes = header.nbytes;
      remote.credit = header.credit;
      remote.checksum = header.checksum;
      remote.kind = header.kind;
      remote.more = header.more;
      remote.sequence.store(header.sequence, std::memory_order_release);
    }

    const MessageHeader *poll(int slot, std::uint64_t sequence) override
    {
      const ShmHeader &local = in_.header(slot);
      if (local.sequence.load(std::memory_order_acquire) != sequence) return nullptr;
      arrived_ = {sequence, local.nbytes, local.credit, local.checksum, local.kind, local.more, 0};
      return &arrived_;
    }

    const std::byte *recv_payload(int slot) const override { return in_.payload(slot); }

    // the peer sees that the slot is free by the credit alone

    void release(int) override {}

    void post_credit(std::uint64_t nreleased) override
    {
      in_.control().nreleased.store(nreleased, std::memory_order_release);
    }

    std::uint64_t poll_credit() override
    {
      return out_.control().nreleased.load(std::memory_order_acquire);
    }

    // a store is at the peer, and needs nobody to move it; liveness.h looks after its process

    void start_contact() override {}
    bool in_contact() override { return true; }
    void start_close() override {}
    bool closed() override { return true; }
    void progress() override {}
    bool settled() override { return true; }
    void check_peer() override {}

   private:
    RegionView out_, in_;
    MessageHeader arrived_{};
  };

}    // namespace

/* ---------------------------------------------------------------------- */

std::size_t shm_region_bytes(int nslots, std::size_t capacity)
{
  return sizeof(ShmControl) + nslots * (sizeof(ShmHeader) + capacity);
}

/* ---------------------------------------------------------------------- */

std::unique_ptr<Channel> make_shm_channel(const ShmRegion &outgoing, const ShmRegion &incoming)
{
  return std::make_unique<ShmChannel>(outgoing, incoming);
}

}    // namespace TOFU_NS
