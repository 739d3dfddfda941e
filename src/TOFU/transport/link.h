// SPDX-License-Identifier: GPL-2.0-only
//
// Link: the protocol between two ranks, the same over every backend.
//
//   * Messages are numbered per direction.  Slot (n-1) mod nslots carries slot message n.
//   * Credit: the sender may write message n only when n - nslots have been released.  The count
//     of released slots travels with every message of the other direction; when half of the slots
//     have been released without such a message, the count is sent alone.  Bursts of forwards
//     without a reverse are therefore legal and bounded.
//   * A message longer than a slot goes in fragments; the receiver joins them in its own memory.
//   * A sender that waits for credit copies incoming messages out of their slots, so that two ranks
//     which both send long messages cannot block each other.
//
// The protocol is modelled and checked in unittest/model/credits.pml.

#ifndef TOFU_TRANSPORT_LINK_H
#define TOFU_TRANSPORT_LINK_H

#include "channel.h"
#include "link_slots.h"

#include <memory>
#include <vector>

namespace TOFU_NS {

class Link;

/** Callback of a link that must wait for credit. */
class CreditWaiter {
 public:
  virtual ~CreditWaiter() = default;

  /** Return when `link.has_credit()`; meanwhile drain() all links.  Throws TransportError. */
  virtual void wait_for_credit(Link &link) = 0;
};

struct LinkOptions {
  int nslots = 4;
  bool stream = true;     // bypass the cache when writing into a peer's memory
  bool verify = false;    // checksum every payload
};

struct LinkCounters {
  std::uint64_t nmessages = 0;          // sent
  std::uint64_t nbytes = 0;             // payload bytes sent
  std::uint64_t nfragmented = 0;        // of the messages sent, how many took more than one slot
  std::uint64_t nlone_credits = 0;      // credits that did not travel with a message
  std::uint64_t ncredit_waits = 0;      // times the sender had to wait for credit
  std::uint64_t nlanded = 0;            // of the messages sent, how many went into an array
  std::uint64_t nbytes_in_place = 0;    // of the bytes sent, how many left from an array
};

class Link {
 public:
  /** Largest block that reserve() gives; also the smallest capacity of a slot. */
  static constexpr std::size_t BLOCK = 4096;

  Link(int me, int peer, std::unique_ptr<Channel> channel, const LinkOptions &options,
       CreditWaiter &waiter);

  int peer() const { return peer_; }
  Channel &channel() { return *channel_; }
  const LinkCounters &counters() const { return counters_; }
  void reset_counters() { counters_ = LinkCounters(); }

  // ---- sending: open, then any number of reserve+commit or append, then close

  /** \param kind    what the message is for
      \param offer   of the peer, for a message of as many bytes as it has; nullptr: to a slot */
  void open(MessageKind kind, const Landing *offer = nullptr);

  /** True if the receiver of this link's messages may make offers; the same on both sides. */
  bool takes_offers() const { return arrays_ && arrays_->can_land() && !options_.verify; }

  /** For messages that end in arrays of the caller; nullptr if payloads are always copied. */
  ArrayAccess *arrays() { return arrays_; }

  /** Room for `nbytes` (at most BLOCK), valid until the next call; 8-byte aligned as long as all
      sizes are multiples of 8. */
  std::byte *reserve(std::size_t nbytes);
  void commit(std::size_t nbytes);
  void append(const void *data, std::size_t nbytes);

  /** Append data that the caller does not change until Transport::settle() returns. */
  void append_in_place(const void *data, std::size_t nbytes);
  void close();

  bool has_credit();

  /** Whether a message of so many bytes can be sent now without a wait for credit. */
  bool fits(std::size_t nbytes);

  // ---- receiving

  /** The next message if all of it has arrived, else nullptr.  The same message until release(). */
  const Message *try_receive();
  void release();

  /** Copy all messages that have arrived out of their slots, and post the credit. */
  void drain();

  /** As drain(), only for a message in fragments: its sender needs more slots than there are, and
      other ranks may wait for the sender. */
  void join_fragments();

 private:
  void start_slot();
  void flush_stage(bool last);
  void publish(bool more);
  bool may_leave_from(const void *data, std::size_t nbytes) const;
  std::size_t nfree() const { return options_.nslots - static_cast<std::size_t>(sent_.nopen()); }
  const MessageHeader *poll_slot();
  void store_slot(const MessageHeader &header);
  void release_slot();

  int me_, peer_;
  std::unique_ptr<Channel> channel_;
  ArrayAccess *arrays_;
  LinkOptions options_;
  CreditWaiter &waiter_;
  LinkCounters counters_;

  // sending

  struct Outgoing {
    MessageKind kind = MessageKind::USER;
    const Landing *offer = nullptr;    // where the message goes instead of a slot
    bool fragmented = false;
  } message_;                       // from open() to close()
  bool stream_;                     // payload is staged, then streamed in whole lines
  std::vector<std::byte> stage_;    // a block and what is left of a line; stays in the L1 cache
  std::size_t stage_fill_ = 0;
  SlotPayload payload_;
  SlotCounts sent_;

  // receiving

  SlotCounts received_;
  StoredMessages stored_;
  Message view_{};    // result of try_receive()
  enum { NOTHING, IN_SLOT, IN_STORE } view_place_ = NOTHING;
};

}    // namespace TOFU_NS

#endif
