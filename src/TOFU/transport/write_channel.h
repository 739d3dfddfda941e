// SPDX-License-Identifier: GPL-2.0-only
//
// WriteChannel: the part that channels over one-sided writes of a network have in common.  One
// write, or several in order, move a message into its slot and raise a notice at the peer, which
// marks the slot as arrived.
//
// Messages for which the queue of the network has no room are kept in order, and handed over by
// later calls: put() never blocks.

#ifndef TOFU_TRANSPORT_WRITE_CHANNEL_H
#define TOFU_TRANSPORT_WRITE_CHANNEL_H

#include "backend.h"
#include "lost_watch.h"
#include "transport_error.h"

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace TOFU_NS {

/** Derived classes write messages and read notices.

    Endpoint   owner of memory and queues: progress(), set_arrays(), can_leave_from(), make_offer()
    Write      context of a write: busy until its completion has been read; listener
    Put        a message that is not, or not in full, in the queue of the network: slot */
template <class Endpoint, class Write, class Put>
class WriteChannel : public Channel, protected ArrayAccess {
 public:
  /** \param endpoint   owner of memory and queues
      \param need       slots of the peer
      \param in,out     first of the peer's slots in the endpoint's memory */
  WriteChannel(std::shared_ptr<Endpoint> endpoint, const PeerNeed &need, std::byte *in,
               std::byte *out) :
      endpoint_(std::move(endpoint)),
      need_(need), in_(in), out_(out), arrived_(need.nslots, NOTHING)
  {
  }

  ~WriteChannel() override
  {
    for (Write *write : slots_) write->listener = nullptr;
    if (lone_) lone_->listener = nullptr;
  }

  ArrayAccess *arrays() override { return this; }
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

  /** The peer has released the previous message of the slot, which has arrived, therefore.  The
      completion of its write comes soon, whatever the peer does next. */
  std::byte *send_payload(int slot) override
  {
    if (is_under_way(slot)) wait_for_completion(slot);
    return out_slot(slot) + CACHE_LINE;
  }

  bool remote_stores() const override { return false; }
  void put(int slot, const MessageHeader &header) override { put_pieces(slot, header, nullptr, 0); }

  const std::byte *recv_payload(int slot) const override { return in_slot(slot) + CACHE_LINE; }
  void release(int slot) override { arrived_[slot] = NOTHING; }

  /** Only the newest count matters: it replaces one that could not be sent yet. */
  void post_credit(std::uint64_t nreleased) override
  {
    credit_.posted = nreleased;
    push();
  }

  std::uint64_t poll_credit() override
  {
    progress();
    return credit_.seen;
  }

  /** A connection that was not accepted takes no write, and reports no error. */
  void start_contact() override
  {
    wanted_.alive = true;
    progress();
  }

  bool in_contact() override
  {
    progress();
    return notice_seen_ && !wanted_.alive && !lone_->busy;
  }

  void start_close() override { wanted_.goodbye = true; }

  /** A peer that cannot be reached any more has nothing under way. */
  bool closed() override
  {
    try {
      progress();
    } catch (const TransportError &) {
      return true;
    }
    return peer_closed_ && !wanted_.goodbye && nanswers_due_ == 0 && !any_under_way();
  }

  bool settled() override
  {
    if (any_under_way() || credit_.is_due()) progress();
    return !any_under_way() && !credit_.is_due();
  }

  void progress() override
  {
    endpoint_->progress();
    if (!failure_.empty()) fail(failure_);
    push();
  }

  void check_peer() override
  {
    if (seconds_.next()) check_now();
  }

 protected:
  enum Arrived : char { NOTHING, IN_SLOT, IN_ARRAY };

  virtual std::byte *in_slot(int slot) const = 0;
  virtual std::byte *out_slot(int slot) const = 0;

  /** Hand over as much as the queue takes: messages in order, then notices without a message, the
      goodbye last. */
  virtual void push() = 0;

  /** Once a second of a long wait: request a sign of life; fail() if one is missing for long. */
  virtual void check_now() = 0;

  /** Name of the network in errors. */
  virtual std::string network() const = 0;

  bool is_under_way(int slot) const
  {
    if (slots_[slot]->busy) return true;
    for (const Put &put : waiting_)
      if (put.slot == slot) return true;
    return false;
  }

  bool any_under_way() const
  {
    for (const Write *write : slots_)
      if (write->busy) return true;
    return lone_->busy || !waiting_.empty();
  }

  [[noreturn]] void fail(const std::string &why) const
  {
    throw TransportError("lost the connection to rank " + std::to_string(need_.peer) + ": " + why +
                         "; " + network());
  }

  void set_failure(const std::string &why)
  {
    if (failure_.empty()) failure_ = why;
  }

  const std::shared_ptr<Endpoint> endpoint_;
  const PeerNeed need_;
  std::byte *const in_, *const out_;

  std::vector<Write *> slots_;      // a context per slot
  Write *lone_ = nullptr;           // of a write that is no message, one at a time
  std::vector<Arrived> arrived_;    // of the message of each slot, set by its notice
  MessageHeader landed_{};     // of a message in an array, whose header is shorter, or not sent
  std::deque<Put> waiting_;    // messages for which the queue had no room, in order

  /** # of slots released: of the peer, to be sent and sent; of this rank, from the peer. */
  struct Credit {
    std::uint64_t posted = 0, sent = 0, seen = 0;
    bool is_due() const { return posted != sent; }
  } credit_;

  /** Notices without a message that are to be sent. */
  struct Wanted {
    bool alive = false, probe = false, goodbye = false;
  } wanted_;

  bool notice_seen_ = false;    // a notice has come from the peer
  bool peer_closed_ = false;
  int nanswers_due_ = 0;    // by the peer's interface

 private:
  /** A network that does not report the completion in all this time never will. */
  void wait_for_completion(int slot)
  {
    static constexpr unsigned CLOCK_EVERY = 1024;
    SecondsClock seconds;
    LostWatch completion;
    for (unsigned npolls = 1; is_under_way(slot); npolls++) {
      progress();
      if (npolls % CLOCK_EVERY == 0 && seconds.next() && completion.is_lost(true))
        fail("a write that has arrived was not completed within " + LostWatch::limit());
    }
  }

  SecondsClock seconds_;
  std::string failure_;
};

}    // namespace TOFU_NS

#endif
