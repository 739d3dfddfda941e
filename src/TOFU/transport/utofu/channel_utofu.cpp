// SPDX-License-Identifier: GPL-2.0-only
//
// Channel over a virtual queue of uTofu.
//
//   message       one put of header and payload into the slot, with a notice at the peer
//   from arrays   a put for each piece, then the beginning of the slot with the notice
//   to arrays     a put for each place, then the header in the order itself, with the notice
//   credit        the full count in the order itself, into a line of its own
//
// The network keeps no order between puts, nor between the lines of one.  A message is read after
// its notice only, which comes when all of its put is in memory.  Where several puts make a
// message, the last has STRONG_ORDER, which puts it behind the others of this pair; then its entry
// in the queue of what was sent stands for theirs, too.  So has a credit: else an older count might
// be written over a newer one, and the peer wait for ever.

#ifdef TOFU_UTOFU

#include "transport/write_channel.h"
#include "utofu_endpoint.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace TOFU_NS {

namespace {

  constexpr unsigned long NOTICE = UTOFU_ONESIDED_FLAG_REMOTE_MRQ_NOTICE;
  constexpr unsigned long ORDERED = UTOFU_ONESIDED_FLAG_STRONG_ORDER;
  constexpr unsigned long ANSWER = UTOFU_ONESIDED_FLAG_LOCAL_MRQ_NOTICE;

  /** What is in a slot whose message has landed elsewhere: a header as short as an order can
      carry. */
  struct LandedHeader {
    std::uint64_t sequence, nbytes, credit;
    MessageKind kind;
    std::uint32_t unused;
  };
  static_assert(sizeof(LandedHeader) <= UtofuOrder::MAX_INLINE, "it travels in the order");

  // a later count may be written in the meantime, at once as a whole

  std::uint64_t number_at(const std::byte *place)
  {
    return reinterpret_cast<const std::atomic<std::uint64_t> *>(place)->load(
        std::memory_order_acquire);
  }

  /** The orders of a message. */
  struct UtofuPut {
    int slot;
    UtofuTag::Kind kind;
    std::vector<UtofuOrder> orders;
    std::size_t nposted;
  };

  class UtofuChannel :
      public WriteChannel<UtofuEndpoint, UtofuWrite, UtofuPut>,
      private UtofuListener {
   public:
    UtofuChannel(std::shared_ptr<UtofuEndpoint> endpoint, const PeerNeed &need, std::byte *in,
                 std::byte *out, const UtofuAddress &theirs) :
        WriteChannel(std::move(endpoint), need, in, out),
        remote_(theirs), queue_(theirs.queue),
        mine_(need.nslots, utofu_capacity(need.recv_capacity)),
        their_(need.nslots, utofu_capacity(need.send_capacity))
    {
      lone_ = endpoint_->make_write(this);
      const int code = utofu_set_vcq_id_path(&queue_, nullptr);
      if (code != UTOFU_SUCCESS) throw TransportError(utofu_message("path", code));
      for (int slot = 0; slot < need.nslots; slot++) slots_.push_back(endpoint_->make_write(this));
      endpoint_->listen(in_, mine_.nbytes(), remote_, this);
    }

    ~UtofuChannel() override { endpoint_->stop_listening(in_); }

    const char *name() const override { return "utofu"; }

    bool can_land() const override { return true; }
    int max_pieces() const override { return Landing::MAX_PLACES; }
    std::size_t send_capacity() const override { return utofu_capacity(need_.send_capacity); }

    void put_pieces(int slot, const MessageHeader &header, const ArrayMemory *pieces,
                    int npieces) override
    {
      std::memcpy(out_slot(slot), &header, sizeof(header));
      UtofuPut put{slot, UtofuTag::MESSAGE, {}, 0};
      std::size_t begin = CACHE_LINE + header.nbytes;
      for (int i = npieces - 1; i >= 0; i--) {
        begin -= pieces[i].nbytes;
        put.orders.push_back(move(pieces[i].data, remote_slot(slot) + begin, pieces[i].nbytes, 0));
      }
      put.orders.push_back(
          move(out_slot(slot), remote_slot(slot), begin, NOTICE | (npieces > 0 ? ORDERED : 0)));
      waiting_.push_back(std::move(put));
      push();
    }

    void put_landing(int slot, const MessageHeader &header, const Landing &offer) override
    {
      UtofuPut put{slot, UtofuTag::LANDED, {}, 0};
      const std::byte *payload = out_slot(slot) + CACHE_LINE;
      for (std::uint64_t i = 0; i < offer.nplaces; i++) {
        const Landing::Place &place = offer.places[i];
        put.orders.push_back(move(payload, place.address, place.nbytes, 0));
        payload += place.nbytes;
      }
      const LandedHeader shortened{header.sequence, header.nbytes, header.credit, header.kind, 0};
      put.orders.push_back(
          carry(&shortened, sizeof(shortened), remote_slot(slot), NOTICE | ORDERED));
      waiting_.push_back(std::move(put));
      push();
    }

    const MessageHeader *poll(int slot, std::uint64_t) override
    {
      if (arrived_[slot] == NOTHING) progress();
      if (arrived_[slot] == NOTHING) return nullptr;
      if (arrived_[slot] == IN_SLOT) return reinterpret_cast<const MessageHeader *>(in_slot(slot));
      LandedHeader shortened;
      std::memcpy(&shortened, in_slot(slot), sizeof(shortened));
      landed_ = {shortened.sequence, 0, shortened.credit, 0, shortened.kind, 0, 1};
      return &landed_;
    }

    // an answer shows that the peer's interface and its memory are there

    void check_now() override
    {
      progress();
      if (unanswered_.is_lost(nanswers_due_ > 0))
        fail("its interface has not answered for " + LostWatch::limit());
      if (nanswers_due_ == 0) wanted_.probe = true;
      push();
    }

   private:
    std::byte *in_slot(int slot) const override { return in_ + mine_.slot(slot); }
    std::byte *out_slot(int slot) const override { return out_ + their_.slot(slot); }
    std::uint64_t remote_slot(int slot) const { return remote_.region + their_.slot(slot); }
    std::uint64_t tag(UtofuTag::Kind kind) const { return UtofuTag{kind, remote_.epoch}.pack(); }

    UtofuOrder move(const void *from, std::uint64_t to, std::size_t nbytes,
                    unsigned long flags) const
    {
      return {endpoint_->local_address(from), to, nbytes, false, {}, flags};
    }

    static UtofuOrder carry(const void *data, std::size_t nbytes, std::uint64_t to,
                            unsigned long flags)
    {
      UtofuOrder order{0, to, nbytes, true, {}, flags};
      std::memcpy(order.data, data, nbytes);
      return order;
    }

    // messages in order, then what goes alone, the goodbye last

    void push() override
    {
      while (!waiting_.empty()) {
        UtofuPut &put = waiting_.front();
        for (; put.nposted < put.orders.size(); put.nposted++) {
          const bool last = put.nposted + 1 == put.orders.size();
          if (!post(put.orders[put.nposted], last ? slots_[put.slot] : nullptr, put.kind,
                    slots_[put.slot]))
            return;
        }
        waiting_.pop_front();
      }
      if (credit_.is_due()) {
        const std::uint64_t count = credit_.posted;
        if (!post_line(UtofuRegion::CREDIT, count, NOTICE | ORDERED)) return;
        credit_.sent = count;
      }
      if (wanted_.alive) {
        if (!post_line(UtofuRegion::LIFE, 1, NOTICE)) return;
        wanted_.alive = false;
      }
      if (wanted_.probe) {
        if (!post_line(UtofuRegion::LIFE, 1, ANSWER)) return;
        wanted_.probe = false;
        nanswers_due_++;
      }
      if (wanted_.goodbye) {
        if (!post_line(UtofuRegion::GOODBYE, 1, NOTICE | ORDERED | ANSWER)) return;
        wanted_.goodbye = false;
        nanswers_due_++;
      }
    }

    bool post_line(UtofuRegion::Line line, std::uint64_t number, unsigned long flags)
    {
      if (lone_->busy) return false;
      return post(carry(&number, sizeof(number), remote_.region + their_.line(line), flags), lone_,
                  UtofuTag::LINE, lone_);
    }

    bool post(const UtofuOrder &order, UtofuWrite *context, UtofuTag::Kind kind,
              UtofuWrite *on_failure)
    {
      try {
        return endpoint_->post(order, context, queue_, tag(kind), on_failure);
      } catch (const TransportError &failure) {
        fail(failure.what());
      }
    }

    std::string network() const override
    {
      return "uTofu, network interface " + std::to_string(endpoint_->interface());
    }

    void notice(UtofuTag::Kind kind, std::size_t at) override
    {
      notice_seen_ = true;
      if (mine_.is_slot(at)) {
        if (kind != UtofuTag::LINE)
          arrived_[mine_.slot_at(at)] = kind == UtofuTag::LANDED ? IN_ARRAY : IN_SLOT;
        return;
      }
      if (kind != UtofuTag::LINE) return;
      switch (mine_.line_at(at)) {
        case UtofuRegion::CREDIT:
          credit_.seen = std::max(credit_.seen, number_at(in_ + mine_.line(UtofuRegion::CREDIT)));
          break;
        case UtofuRegion::GOODBYE:
          peer_closed_ = true;
          break;
        default:
          break;
      }
    }

    void answered() override
    {
      if (nanswers_due_ > 0) nanswers_due_--;
    }

    void failed(const std::string &why) override { set_failure(why); }

    const UtofuAddress remote_;    // as the peer has it: notices name it so
    std::uint64_t queue_;          // its queue, with the path to it
    const UtofuRegion mine_, their_;

    LostWatch unanswered_;    // probes
  };

}    // namespace

/* ---------------------------------------------------------------------- */

std::unique_ptr<Channel> make_utofu_channel(std::shared_ptr<UtofuEndpoint> endpoint,
                                            const PeerNeed &need, std::byte *in, std::byte *out,
                                            const UtofuAddress &theirs)
{
  return std::make_unique<UtofuChannel>(std::move(endpoint), need, in, out, theirs);
}

}    // namespace TOFU_NS

#endif
