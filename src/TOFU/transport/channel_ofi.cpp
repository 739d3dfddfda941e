// SPDX-License-Identifier: GPL-2.0-only
//
// Channel over a libfabric endpoint.  One RMA write per slot carries header and payload and raises
// a notice at the peer.  Notices may come in any order: each one marks its slot, and Link reads the
// slots in sequence.
//
// A write that finds the queue full waits here, in order, until somebody polls: put() never
// blocks.

#ifdef TOFU_OFI

#include "ofi_endpoint.h"

#include <chrono>
#include <cstring>
#include <deque>

namespace TOFU_NS {

namespace {

  using Clock = std::chrono::steady_clock;

  class OfiChannel : public Channel, private OfiListener {
   public:
    OfiChannel(std::shared_ptr<OfiEndpoint> endpoint, const OfiNeed &need, std::uint32_t index,
               std::byte *in, std::byte *out, const OfiWindow &theirs) :
        endpoint_(std::move(endpoint)),
        need_(need), index_(index), in_(in), out_(out), remote_(theirs),
        peer_(endpoint_->add_peer(theirs.address)), arrived_(need.nslots, 0),
        lone_(endpoint_->make_write(this, LONE))
    {
      for (int slot = 0; slot < need.nslots; slot++)
        slots_.push_back(endpoint_->make_write(this, slot));
      endpoint_->listen(index, this);
    }

    ~OfiChannel() override
    {
      endpoint_->listen(index_, nullptr);
      for (OfiWrite *write : slots_) write->listener = nullptr;
      lone_->listener = nullptr;
    }

    const char *name() const override { return "ofi"; }

    // the peer has released the slot's previous message, so that its write has arrived: that its
    // completion is known here, too, does not depend on what the peer does next

    std::byte *send_payload(int slot) override
    {
      while (slots_[slot]->busy || is_waiting(slot)) progress();
      return out_slot(slot) + CACHE_LINE;
    }

    std::size_t send_capacity() const override { return need_.send_capacity; }
    bool remote_stores() const override { return false; }

    void put(int slot, const MessageHeader &header) override
    {
      std::memcpy(out_slot(slot), &header, sizeof(header));
      waiting_.push_back({slot, CACHE_LINE + header.nbytes});
      push();
    }

    const MessageHeader *poll(int slot, std::uint64_t) override
    {
      if (!arrived_[slot]) progress();
      return arrived_[slot] ? reinterpret_cast<const MessageHeader *>(in_slot(slot)) : nullptr;
    }

    const std::byte *recv_payload(int slot) const override { return in_slot(slot) + CACHE_LINE; }
    void release(int slot) override { arrived_[slot] = 0; }

    // only the newest count matters: one that could not be sent yet is overtaken by the next

    void post_credit(std::uint64_t nreleased) override
    {
      credit_out_ = nreleased;
      push();
    }

    std::uint64_t poll_credit() override
    {
      progress();
      return credit_seen_;
    }

    // some providers answer the loss of a connection by an error, others try to connect again for
    // ever and take no more writes; before the first contact a peer may just not be there yet

    void check_peer() override
    {
      const auto now = Clock::now();
      if (now - last_alive_ < std::chrono::seconds(1)) return;
      if (!alive_wanted_) alive_since_ = now;
      last_alive_ = now;
      alive_wanted_ = true;
      progress();
      if (alive_wanted_ && !lone_->busy && in_contact_ && now - alive_since_ > LOST_AFTER)
        fail("it has taken no message for " + std::to_string(LOST_AFTER.count()) + " s");
    }

    // a peer that cannot be reached any more has nothing under way

    void start_close() override { goodbye_wanted_ = true; }

    bool closed() override
    {
      try {
        progress();
      } catch (const TransportError &) {
        return true;
      }
      return peer_closed_ && !goodbye_wanted_ && !any_busy();
    }

    bool settled() override
    {
      if (any_busy() || credit_out_ != credit_sent_) progress();
      return !any_busy() && credit_out_ == credit_sent_;
    }

    void progress() override
    {
      endpoint_->progress();
      if (!failure_.empty()) fail(failure_);
      push();
    }

   private:
    static constexpr std::chrono::seconds LOST_AFTER{4};
    static constexpr int LONE = -1;    // the write that is no message

    struct Put {
      int slot;
      std::size_t nbytes;
    };

    std::byte *in_slot(int slot) const { return in_ + slot * ofi_slot_bytes(need_.recv_capacity); }
    std::byte *out_slot(int slot) const
    {
      return out_ + slot * ofi_slot_bytes(need_.send_capacity);
    }
    std::byte *out_line() const { return out_slot(need_.nslots); }

    bool is_waiting(int slot) const
    {
      for (const Put &put : waiting_)
        if (put.slot == slot) return true;
      return false;
    }

    bool any_busy() const
    {
      for (const OfiWrite *write : slots_)
        if (write->busy) return true;
      return lone_->busy || !waiting_.empty();
    }

    // hand over as much as the queue takes: messages in order, then what goes alone, the goodbye
    // when there is nothing else

    void push()
    {
      while (!waiting_.empty()) {
        const Put &put = waiting_.front();
        if (!write(*slots_[put.slot], out_slot(put.slot), put.nbytes, put.slot, OfiNotice::MESSAGE,
                   put.slot))
          return;
        waiting_.pop_front();
      }
      if (credit_out_ != credit_sent_ && write_lone(OfiNotice::CREDIT, credit_out_))
        credit_sent_ = credit_out_;
      if (alive_wanted_ && write_lone(OfiNotice::ALIVE, 0)) alive_wanted_ = false;
      if (goodbye_wanted_ && credit_out_ == credit_sent_ && write_lone(OfiNotice::GOODBYE, 0))
        goodbye_wanted_ = false;
    }

    bool write_lone(OfiNotice::Kind kind, std::uint64_t number)
    {
      if (lone_->busy) return false;
      return write(*lone_, out_line(), sizeof(std::uint64_t), need_.nslots, kind, number);
    }

    bool write(OfiWrite &context, const std::byte *from, std::size_t nbytes, int slot,
               OfiNotice::Kind kind, std::uint64_t number)
    {
      // slots at the peer are as large as this rank's messages

      const std::uint64_t to = remote_.base + slot * ofi_slot_bytes(need_.send_capacity);
      try {
        return endpoint_->write(context, from, nbytes, peer_, to, remote_.key,
                                {kind, remote_.index, static_cast<std::uint32_t>(number & 0xffff)});
      } catch (const TransportError &failure) {
        fail(failure.what());
      }
    }

    [[noreturn]] void fail(const std::string &why) const
    {
      throw TransportError("lost the connection to rank " + std::to_string(need_.peer) + ": " +
                           why + "; libfabric provider " + endpoint_->domain().provider);
    }

    // counts are known to 16 bits; a credit is never more than the number of slots ahead, and one
    // that was overtaken is behind

    void notice(const OfiNotice &notice) override
    {
      in_contact_ = true;
      if (notice.kind == OfiNotice::MESSAGE) {
        if (notice.number < arrived_.size()) arrived_[notice.number] = 1;
      } else if (notice.kind == OfiNotice::CREDIT) {
        const auto ahead = (notice.number - credit_seen_) & 0xffff;
        if (ahead < 0x8000) credit_seen_ += ahead;
      } else if (notice.kind == OfiNotice::GOODBYE) {
        peer_closed_ = true;
      }
    }

    void write_done(int) override { in_contact_ = true; }
    void write_failed(const std::string &why) override
    {
      if (failure_.empty()) failure_ = why;
    }

    std::shared_ptr<OfiEndpoint> endpoint_;
    const OfiNeed need_;
    const std::uint32_t index_;
    std::byte *const in_, *const out_;
    const OfiWindow remote_;
    const fi_addr_t peer_;

    std::vector<OfiWrite *> slots_;    // a context per slot
    std::vector<char> arrived_;        // 1 = a message is in the slot, set by its notice
    std::deque<Put> waiting_;          // puts that the queue had no room for, in order
    OfiWrite *lone_;

    std::uint64_t credit_out_ = 0, credit_sent_ = 0, credit_seen_ = 0;
    bool in_contact_ = false;    // something has gone through
    bool alive_wanted_ = false, goodbye_wanted_ = false, peer_closed_ = false;
    Clock::time_point last_alive_ = Clock::now(), alive_since_;
    std::string failure_;
  };

}    // namespace

/* ---------------------------------------------------------------------- */

std::unique_ptr<Channel> make_ofi_channel(std::shared_ptr<OfiEndpoint> endpoint,
                                          const OfiNeed &need, std::uint32_t index, std::byte *in,
                                          std::byte *out, const OfiWindow &theirs)
{
  return std::make_unique<OfiChannel>(std::move(endpoint), need, index, in, out, theirs);
}

}    // namespace TOFU_NS

#endif
