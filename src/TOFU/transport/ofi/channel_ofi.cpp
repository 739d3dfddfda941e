// SPDX-License-Identifier: GPL-2.0-only
//
// Channel over a libfabric endpoint.  One RMA write per slot carries header and payload and raises
// a notice at the peer.  Notices may come in any order: each one marks its slot, and Link reads the
// slots in sequence.
//
// A write that finds the queue full waits here, in order, until a thread polls: put() never
// blocks.

#ifdef TOFU_OFI

#include "ofi_endpoint.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>

namespace TOFU_NS {

namespace {

  using Clock = std::chrono::steady_clock;

  class OfiChannel : public Channel, private ArrayAccess, private OfiListener {
   public:
    OfiChannel(std::shared_ptr<OfiEndpoint> endpoint, const PeerNeed &need, std::uint32_t index,
               std::byte *in, std::byte *out, const OfiAddress &theirs) :
        endpoint_(std::move(endpoint)),
        need_(need), index_(index), in_(in), out_(out), remote_(theirs),
        peer_(endpoint_->add_peer(theirs.endpoint)), arrived_(need.nslots, NOTHING),
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
    ArrayAccess *arrays() override { return this; }

    bool can_land() const override
    {
      return endpoint_->max_to() > 0 &&
          need_.nslots <= static_cast<int>(OfiNotice::MAX_LANDED_SLOTS);
    }
    int max_pieces() const override { return endpoint_->max_from() - 1; }
    int set_arrays(const ArrayMemory &landing, const ArrayMemory &source) override
    {
      return endpoint_->set_arrays(landing, source);
    }
    bool can_leave_from(const void *data, std::size_t nbytes) const override
    {
      return endpoint_->can_leave_from(data, nbytes);
    }
    Landing make_offer(const ArrayPieces &pieces) const override
    {
      return endpoint_->make_offer(pieces);
    }

    // the peer has released the slot's previous message, so that its write has arrived: that its
    // completion is known here, too, does not depend on what the peer does next

    std::byte *send_payload(int slot) override
    {
      if (slots_[slot]->busy || is_waiting(slot)) wait_for_completion(slot);
      return out_slot(slot) + CACHE_LINE;
    }

    std::size_t send_capacity() const override { return need_.send_capacity; }
    bool remote_stores() const override { return false; }

    void put(int slot, const MessageHeader &header) override
    {
      put_pieces(slot, header, nullptr, 0);
    }

    void put_pieces(int slot, const MessageHeader &header, const ArrayMemory *pieces,
                    int npieces) override
    {
      std::size_t nbytes = CACHE_LINE + header.nbytes;
      OfiIov iov;
      iov.add_to(remote_slot(slot), nbytes, remote_.key);
      for (int i = 0; i < npieces; i++) nbytes -= pieces[i].nbytes;
      std::memcpy(out_slot(slot), &header, sizeof(header));
      iov.add_from(out_slot(slot), nbytes);
      for (int i = 0; i < npieces; i++) iov.add_from(pieces[i].data, pieces[i].nbytes);
      waiting_.push_back({slot, static_cast<std::uint32_t>(slot), iov});
      credit_travels(header.credit);
      push();
    }

    void put_landing(int slot, const MessageHeader &header, const Landing &offer) override
    {
      OfiIov iov;
      iov.add_from(out_slot(slot) + CACHE_LINE, header.nbytes);
      for (std::uint64_t i = 0; i < offer.nplaces; i++)
        iov.add_to(offer.places[i].address, offer.places[i].nbytes, offer.key);
      waiting_.push_back({slot, OfiNotice::landed(slot, header.credit), iov});
      credit_travels(header.credit);
      push();
    }

    // every message must update the credit that is known, or the few bits of the next lone credit
    // would be taken for an old one

    const MessageHeader *poll(int slot, std::uint64_t sequence) override
    {
      if (arrived_[slot] == NOTHING) progress();
      if (arrived_[slot] == NOTHING) return nullptr;
      if (arrived_[slot] == IN_ARRAY) {
        landed_ = MessageHeader{};
        landed_.sequence = sequence;
        landed_.credit = credit_seen_;
        landed_.kind = MessageKind::FORWARD;
        landed_.landed = 1;
        return &landed_;
      }
      auto header = reinterpret_cast<const MessageHeader *>(in_slot(slot));
      credit_seen_ = std::max(credit_seen_, header->credit);
      return header;
    }

    const std::byte *recv_payload(int slot) const override { return in_slot(slot) + CACHE_LINE; }
    void release(int slot) override { arrived_[slot] = NOTHING; }

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
    // ever and take no more writes, or connect again and have lost what was under way; before the
    // first contact a peer may just not be there yet

    void check_peer() override
    {
      const auto now = Clock::now();
      if (now - last_alive_ < std::chrono::seconds(1)) return;
      if (!alive_wanted_) alive_since_ = now;
      last_alive_ = now;
      alive_wanted_ = question_wanted_ = true;
      progress();
      if (alive_wanted_ && !lone_->busy && in_contact_ && now - alive_since_ > LOST_AFTER)
        fail("it has taken no message for " + std::to_string(LOST_AFTER.count()) + " s");
      noverdue_ = nsent_there_ > nheard_ ? noverdue_ + 1 : 0;
      if (noverdue_ > LOST_AFTER.count())
        fail("of its " + std::to_string(nsent_there_) + " messages " + std::to_string(nheard_) +
             " have come");
      const std::string lack = endpoint_->lack_of_descriptors();
      if (!lack.empty()) fail(lack);
    }

    // a connection that was not accepted takes no write, and reports no error

    void start_contact() override
    {
      alive_wanted_ = true;
      progress();
    }

    bool in_contact() override
    {
      progress();
      return heard_of_ && !alive_wanted_ && !lone_->busy;
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
    static constexpr std::uint64_t UNKNOWN = ~std::uint64_t(0);

    enum Arrived : char { NOTHING, IN_SLOT, IN_ARRAY };

    struct Put {
      int slot;
      std::uint32_t number;    // of its notice
      OfiIov iov;
    };

    std::byte *in_slot(int slot) const { return in_ + slot * ofi_slot_bytes(need_.recv_capacity); }
    std::byte *out_slot(int slot) const
    {
      return out_ + slot * ofi_slot_bytes(need_.send_capacity);
    }
    std::byte *out_line() const { return out_slot(need_.nslots); }

    // slots at the peer are as large as this rank's messages; behind them is the line for credits

    std::uint64_t remote_slot(int slot) const
    {
      return remote_.base + slot * ofi_slot_bytes(need_.send_capacity);
    }

    bool is_waiting(int slot) const
    {
      for (const Put &put : waiting_)
        if (put.slot == slot) return true;
      return false;
    }

    // the bytes are at the peer: a provider that does not say so in all this time never will.
    // Counted in periods, since the clock goes on while this process is stopped

    void wait_for_completion(int slot)
    {
      static constexpr unsigned CLOCK_EVERY = 1024;
      auto start = Clock::now();
      int nperiods = 0;
      for (unsigned nlooks = 1; slots_[slot]->busy || is_waiting(slot); nlooks++) {
        progress();
        if (nlooks % CLOCK_EVERY != 0 || Clock::now() - start < std::chrono::seconds(1)) continue;
        start = Clock::now();
        if (++nperiods > LOST_AFTER.count())
          fail("a write that has arrived was not completed within " +
               std::to_string(LOST_AFTER.count()) + " s");
      }
    }

    bool any_busy() const
    {
      for (const OfiWrite *write : slots_)
        if (write->busy) return true;
      return lone_->busy || !waiting_.empty();
    }

    // hand over as much as the queue takes: messages in order, then notices without a message, the
    // goodbye last

    void push()
    {
      while (!waiting_.empty()) {
        const Put &put = waiting_.front();
        if (!write(*slots_[put.slot], put.iov, OfiNotice::MESSAGE, put.number)) return;
        waiting_.pop_front();
        nsent_++;
      }
      if (credit_out_ != credit_sent_ && write_lone(OfiNotice::CREDIT, credit_out_))
        credit_sent_ = credit_out_;
      if (alive_wanted_ && write_lone(OfiNotice::ALIVE, OfiNotice::alive(nsent_, question_wanted_)))
        alive_wanted_ = question_wanted_ = false;
      if (goodbye_wanted_ && credit_out_ == credit_sent_ && write_lone(OfiNotice::GOODBYE, 0))
        goodbye_wanted_ = false;
    }

    bool write_lone(OfiNotice::Kind kind, std::uint64_t number)
    {
      if (lone_->busy) return false;
      OfiIov iov;
      iov.add_from(out_line(), sizeof(std::uint64_t));
      iov.add_to(remote_slot(need_.nslots), sizeof(std::uint64_t), remote_.key);
      return write(*lone_, iov, kind, number);
    }

    bool write(OfiWrite &context, const OfiIov &iov, OfiNotice::Kind kind, std::uint64_t number)
    {
      try {
        const OfiNotice notice{kind, remote_.index, static_cast<std::uint32_t>(number & 0xffff)};
        return endpoint_->write(context, iov, peer_,
                                static_cast<std::uint64_t>(remote_.secret) << 32 | notice.pack());
      } catch (const TransportError &failure) {
        fail(failure.what());
      }
    }

    [[noreturn]] void fail(const std::string &why) const
    {
      throw TransportError("lost the connection to rank " + std::to_string(need_.peer) + ": " +
                           why + "; libfabric provider " + endpoint_->domain().provider);
    }

    // a peer that asks is waiting: what it has not got may have been lost with a connection. It is
    // told the number of messages, and of released slots once more

    void hear_of_life(const OfiNotice &notice)
    {
      const std::uint64_t ahead = (notice.nsent() - nheard_) % OfiNotice::SENT_RANGE;
      if (ahead < OfiNotice::SENT_RANGE / 2) nsent_there_ = std::max(nsent_there_, nheard_ + ahead);
      if (!notice.asks()) return;
      alive_wanted_ = true;
      credit_sent_ = UNKNOWN;
    }

    // a message has the newest count, so that no older one needs to go alone; a peer that has asked
    // is told this count, too

    void credit_travels(std::uint64_t nreleased)
    {
      credit_out_ = nreleased;
      if (credit_sent_ != UNKNOWN) credit_sent_ = nreleased;
    }

    // of a count the lowest bits are known; it is never more than the number of slots ahead, and
    // one that was overtaken is behind

    void credit_is(std::uint64_t lowest, int nbits)
    {
      const std::uint64_t range = std::uint64_t(1) << nbits;
      const std::uint64_t ahead = (lowest - credit_seen_) % range;
      if (ahead < range / 2 && ahead <= static_cast<std::uint64_t>(need_.nslots))
        credit_seen_ += ahead;
    }

    void notice(const OfiNotice &notice) override
    {
      in_contact_ = heard_of_ = true;
      if (notice.kind == OfiNotice::MESSAGE) {
        if (notice.slot() >= arrived_.size()) return;
        nheard_++;
        arrived_[notice.slot()] = notice.is_landed() ? IN_ARRAY : IN_SLOT;
        if (notice.is_landed()) credit_is(notice.nreleased(), 8);
      } else if (notice.kind == OfiNotice::CREDIT) {
        credit_is(notice.nreleased(), 16);
      } else if (notice.kind == OfiNotice::ALIVE) {
        hear_of_life(notice);
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
    const PeerNeed need_;
    const std::uint32_t index_;
    std::byte *const in_, *const out_;
    const OfiAddress remote_;
    const fi_addr_t peer_;

    std::vector<OfiWrite *> slots_;    // a context per slot
    std::vector<Arrived> arrived_;     // of the message of each slot, set by its notice
    MessageHeader landed_{};           // stands for the one that stayed behind
    std::deque<Put> waiting_;          // puts that the queue had no room for, in order
    OfiWrite *lone_;

    std::uint64_t credit_out_ = 0, credit_sent_ = 0, credit_seen_ = 0;
    bool in_contact_ = false;                 // something has gone through
    bool heard_of_ = false;                   // from there to here
    std::uint64_t nsent_ = 0, nheard_ = 0;    // messages to the peer, and from there
    std::uint64_t nsent_there_ = 0;           // by the peer, as far as it has said
    int noverdue_ = 0;                        // checks in a row that found one of them missing
    bool alive_wanted_ = false, question_wanted_ = false, goodbye_wanted_ = false,
         peer_closed_ = false;
    Clock::time_point last_alive_ = Clock::now(), alive_since_;
    std::string failure_;
  };

}    // namespace

/* ---------------------------------------------------------------------- */

std::unique_ptr<Channel> make_ofi_channel(std::shared_ptr<OfiEndpoint> endpoint,
                                          const PeerNeed &need, std::uint32_t index, std::byte *in,
                                          std::byte *out, const OfiAddress &theirs)
{
  return std::make_unique<OfiChannel>(std::move(endpoint), need, index, in, out, theirs);
}

}    // namespace TOFU_NS

#endif
