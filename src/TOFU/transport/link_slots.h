// SPDX-License-Identifier: GPL-2.0-only
//
// Slots of a Link: the counts of one direction, from which follow the slot of a message and the
// credit; the payload that is being filled; and messages that were copied out of their slots.

#ifndef TOFU_TRANSPORT_LINK_SLOTS_H
#define TOFU_TRANSPORT_LINK_SLOTS_H

#include "landing.h"
#include "message.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

namespace TOFU_NS {

/** Counts of one direction.  Slot slot() is the next one, for message number sequence(). */
class SlotCounts {
 public:
  explicit SlotCounts(int nslots) : nslots_(nslots) {}

  int slot() const { return static_cast<int>(ndone_ % nslots_); }
  std::uint64_t sequence() const { return ndone_ + 1; }

  /** # of slots that were sent, or were read and released, by this rank. */
  std::uint64_t ndone() const { return ndone_; }
  void advance() { ndone_++; }

  /** # of these slots without credit. */
  std::uint64_t nopen() const { return ndone_ - ncredited_; }

  /** Credit for the first n slots; a count that has been overtaken by a later one has no effect. */
  void set_credit(std::uint64_t n) { ncredited_ = std::max(ncredited_, n); }

 private:
  const std::uint64_t nslots_;
  std::uint64_t ndone_ = 0, ncredited_ = 0;
};

/** Payload of the slot that is being filled. */
struct SlotPayload {
  std::byte *begin = nullptr;
  std::size_t nbytes = 0;             // with those of the pieces
  std::vector<ArrayMemory> pieces;    // the payload ends with these, not copied

  std::byte *end() const { return begin + nbytes; }

  /** True if the data lie behind the last piece. */
  bool continues_piece(const void *data) const
  {
    return !pieces.empty() &&
        static_cast<const std::byte *>(pieces.back().data) + pieces.back().nbytes == data;
  }

  void add_piece(const void *data, std::size_t n)
  {
    if (!continues_piece(data)) pieces.push_back({data, 0});
    pieces.back().nbytes += n;
    nbytes += n;
  }

  /** Copy the pieces, for data that follow. */
  void copy_pieces()
  {
    std::byte *to = end();
    for (; !pieces.empty(); pieces.pop_back()) {
      to -= pieces.back().nbytes;
      std::memcpy(to, pieces.back().data, pieces.back().nbytes);
    }
  }
};

/** A message as the receiver sees it; valid until Link::release(). */
struct Message {
  MessageKind kind;
  const std::byte *data;    // 8-byte aligned
  std::size_t nbytes;
  bool landed = false;    // true: the data are in the array that this rank has offered
};

/** Messages that were copied out of their slots, in order.  Fragments are joined, so that the last
    message may be incomplete. */
class StoredMessages {
 public:
  bool empty() const { return messages_.empty(); }
  bool last_is_incomplete() const { return incomplete_; }
  bool first_is_complete() const
  {
    return !messages_.empty() && !(incomplete_ && messages_.size() == 1);
  }

  /** Append the content of a slot: a message, or the next fragment of the last one. */
  void store(const MessageHeader &header, const std::byte *payload)
  {
    if (!incomplete_) messages_.push_back({header.kind, {}, header.landed != 0});
    std::vector<std::byte> &bytes = messages_.back().bytes;
    bytes.insert(bytes.end(), payload, payload + header.nbytes);
    incomplete_ = header.more != 0;
  }

  /** Valid until remove_first(). */
  Message first() const
  {
    const Stored &message = messages_.front();
    return {message.kind, message.bytes.data(), message.bytes.size(), message.landed};
  }
  void remove_first() { messages_.pop_front(); }

 private:
  struct Stored {
    MessageKind kind;
    std::vector<std::byte> bytes;
    bool landed;
  };

  std::deque<Stored> messages_;
  bool incomplete_ = false;    // the last one waits for more fragments
};

}    // namespace TOFU_NS

#endif
