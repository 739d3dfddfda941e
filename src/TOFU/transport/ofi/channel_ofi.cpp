// SPDX-License-Identifier: GPL-2.0-only
//
// Channel over a libfabric endpoint.  One RMA write per slot carries header and payload and raises
// a notice at the peer.  Notices may come in any order: each one marks its slot, and Link reads the
// slots in sequence.

#ifdef TOFU_OFI

#include "ofi_endpoint.h"
#include "transport/write_channel.h"

#include <algorithm>
#include <cstring>

namespace TOFU_NS {

namespace {

  struct OfiPut {
    int slot;
    std::uint32_t number;    // of its notice
    OfiIov iov;
  };

  class OfiChannel : public WriteChannel<OfiEndpoint, OfiWrite, OfiPut>, private OfiListener {
   public:
    OfiChannel(std::shared_ptr<OfiEndpoint> endpoint, const PeerNeed &need, std::uint32_t index,
               std::byte *in, std::byte *out, const OfiAddress &theirs) :
        WriteChannel(std::move(endpoint), need, in, out),
        index_(index), remote_(theirs), peer_(endpoint_->add_peer(theirs.endpoint))
    {
      lone_ = endpoint_->make_write(this);
      for (int slot = 0; slot < need.nslots; slot++) slots_.push_back(endpoint_->make_write(this));
      endpoint_->listen(index, this);
    }

    ~OfiChannel() override { endpoint_->listen(index_, nullptr); }

    const char *name() const override { return "ofi"; }

    bool can_land() const override
    {
      return endpoint_->max_to() > 0 &&
          need_.nslots <= static_cast<int>(OfiNotice::MAX_LANDED_SLOTS);
    }
    int max_pieces() const override { return endpoint_->max_from() - 1; }
    std::size_t send_capacity() const override { return need_.send_capacity; }

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
      set_sent_credit(header.credit);
      push();
    }

    void put_landing(int slot, const MessageHeader &header, const Landing &offer) override
    {
      OfiIov iov;
      iov.add_from(out_slot(slot) + CACHE_LINE, header.nbytes);
      for (std::uint64_t i = 0; i < offer.nplaces; i++)
        iov.add_to(offer.places[i].address, offer.places[i].nbytes, offer.key);
      waiting_.push_back({slot, OfiNotice::landed(slot, header.credit), iov});
      set_sent_credit(header.credit);
      push();
    }

    // every message must update the credit, or the few bits of the next lone credit would be taken
    // for an old count

    const MessageHeader *poll(int slot, std::uint64_t sequence) override
    {
      if (arrived_[slot] == NOTHING) progress();
      if (arrived_[slot] == NOTHING) return nullptr;
      if (arrived_[slot] == IN_ARRAY) {
        landed_ = {sequence, 0, credit_.seen, 0, MessageKind::FORWARD, 0, 1};
        return &landed_;
      }
      auto header = reinterpret_cast<const MessageHeader *>(in_slot(slot));
      credit_.seen = std::max(credit_.seen, header->credit);
      return header;
    }

    // some providers report the loss of a connection as an error, others try to connect again for
    // ever and take no more writes, or connect again after data in flight were lost; before the
    // first contact the peer may not have started yet

    void check_now() override
    {
      const bool refused = wanted_.probe;    // since the last check
      wanted_.alive = wanted_.probe = true;
      progress();
      if (refused_.is_lost(refused && wanted_.probe && !lone_->busy && in_contact_))
        fail("it has taken no message for " + LostWatch::limit());
      if (unheard_.is_lost(nsent_there_ > nheard_))
        fail("of its " + std::to_string(nsent_there_) + " messages " + std::to_string(nheard_) +
             " have come");
      const std::string lack = endpoint_->lack_of_descriptors();
      if (!lack.empty()) fail(lack);
    }

   private:
    static constexpr std::uint64_t UNKNOWN = ~std::uint64_t(0);

    std::byte *in_slot(int slot) const override
    {
      return in_ + slot * ofi_slot_bytes(need_.recv_capacity);
    }
    std::byte *out_slot(int slot) const override
    {
      return out_ + slot * ofi_slot_bytes(need_.send_capacity);
    }
    std::byte *out_line() const { return out_slot(need_.nslots); }

    // slots at the peer are as large as this rank's messages; behind them is the line for credits

    std::uint64_t remote_slot(int slot) const
    {
      return remote_.base + slot * ofi_slot_bytes(need_.send_capacity);
    }

    void push() override
    {
      while (!waiting_.empty()) {
        const OfiPut &put = waiting_.front();
        if (!write(*slots_[put.slot], put.iov, OfiNotice::MESSAGE, put.number)) return;
        waiting_.pop_front();
        nsent_++;
      }
      if (credit_.is_due() && write_lone(OfiNotice::CREDIT, credit_.posted))
        credit_.sent = credit_.posted;
      if (wanted_.alive && write_lone(OfiNotice::ALIVE, OfiNotice::alive(nsent_, wanted_.probe)))
        wanted_.alive = wanted_.probe = false;
      if (wanted_.goodbye && !credit_.is_due() && write_lone(OfiNotice::GOODBYE, 0))
        wanted_.goodbye = false;
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

    std::string network() const override
    {
      return "libfabric provider " + endpoint_->domain().provider;
    }

    // a peer that requests a reply is waiting, and data for it may have been lost with a
    // connection: the number of messages, and that of released slots, are sent again

    void handle_sign_of_life(const OfiNotice &notice)
    {
      const std::uint64_t ahead = (notice.nsent() - nheard_) % OfiNotice::SENT_RANGE;
      if (ahead < OfiNotice::SENT_RANGE / 2) nsent_there_ = std::max(nsent_there_, nheard_ + ahead);
      if (!notice.requests_reply()) return;
      wanted_.alive = true;
      credit_.sent = UNKNOWN;
    }

    // a message carries the newest count, so that no older one is sent alone, unless a peer has
    // requested the count

    void set_sent_credit(std::uint64_t nreleased)
    {
      credit_.posted = nreleased;
      if (credit_.sent != UNKNOWN) credit_.sent = nreleased;
    }

    // a notice has the lowest bits of a count, which is at most the number of slots ahead of the
    // last one, or behind it if notices have overtaken each other

    void update_credit(std::uint64_t lowest, int nbits)
    {
      const std::uint64_t range = std::uint64_t(1) << nbits;
      const std::uint64_t ahead = (lowest - credit_.seen) % range;
      if (ahead < range / 2 && ahead <= static_cast<std::uint64_t>(need_.nslots))
        credit_.seen += ahead;
    }

    void notice(const OfiNotice &notice) override
    {
      in_contact_ = notice_seen_ = true;
      if (notice.kind == OfiNotice::MESSAGE) {
        if (notice.slot() >= arrived_.size()) return;
        nheard_++;
        arrived_[notice.slot()] = notice.is_landed() ? IN_ARRAY : IN_SLOT;
        if (notice.is_landed()) update_credit(notice.nreleased(), 8);
      } else if (notice.kind == OfiNotice::CREDIT) {
        update_credit(notice.nreleased(), 16);
      } else if (notice.kind == OfiNotice::ALIVE) {
        handle_sign_of_life(notice);
      } else if (notice.kind == OfiNotice::GOODBYE) {
        peer_closed_ = true;
      }
    }

    void write_done() override { in_contact_ = true; }
    void write_failed(const std::string &why) override { set_failure(why); }

    const std::uint32_t index_;
    const OfiAddress remote_;
    const fi_addr_t peer_;

    bool in_contact_ = false;                 // a write has been completed, or a notice has come
    std::uint64_t nsent_ = 0, nheard_ = 0;    // messages to the peer, and from there
    std::uint64_t nsent_there_ = 0;           // by the peer, from its last sign of life
    LostWatch refused_, unheard_;             // own signs of life; messages of the peer
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
