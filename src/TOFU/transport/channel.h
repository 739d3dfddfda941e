// SPDX-License-Identifier: GPL-2.0-only
//
// Channel: the operations that a backend must provide for one peer, in both directions.  Link
// handles sequence numbers, credits and fragments, and is the same over all backends; a backend
// only moves slots.
//
// No function has a default: a backend that has nothing to do in a function defines it as empty.

#ifndef TOFU_TRANSPORT_CHANNEL_H
#define TOFU_TRANSPORT_CHANNEL_H

#include "landing.h"
#include "message.h"

namespace TOFU_NS {

/** Messages that leave from, or land in, arrays of the caller (landing.h). */
class ArrayAccess {
 public:
  virtual ~ArrayAccess() = default;

  /** True if messages of this channel may land in arrays of the receiver; both sides agree. */
  virtual bool can_land() const = 0;

  /** # of pieces of the caller's memory that a message may end with. */
  virtual int max_pieces() const = 0;

  /** Make memory known, in place of the memory that was known before; does nothing if it is known.
      Throws TransportError.

      \return   # of registrations that it took */
  virtual int set_arrays(const ArrayMemory &landing, const ArrayMemory &source) = 0;

  /** True if a message may take this memory as a piece. */
  virtual bool can_leave_from(const void *data, std::size_t nbytes) const = 0;

  /** An offer for the peer; empty if the pieces are not in registered memory or too many. */
  virtual Landing make_offer(const ArrayPieces &pieces) const = 0;

  /** As Channel::put(), but the payload ends with pieces of the caller's memory. */
  virtual void put_pieces(int slot, const MessageHeader &header, const ArrayMemory *pieces,
                          int npieces) = 0;

  /** As Channel::put(), but the payload goes to the places of an offer and the header stays
      behind. */
  virtual void put_landing(int slot, const MessageHeader &header, const Landing &offer) = 0;
};

class Channel {
 public:
  virtual ~Channel() = default;

  virtual const char *name() const = 0;    // "shm", "mpi"

  // ---- sending

  /** Where the payload of an outgoing slot is assembled; cache-line aligned, `send_capacity()`
      bytes.  May be the peer's memory.  To be written only between the credit for the slot's
      previous message and `put()`. */
  virtual std::byte *send_payload(int slot) = 0;
  virtual std::size_t send_capacity() const = 0;

  /** True if `send_payload()` is memory that the peer reads from its own cache, so that stores
      which bypass the cache of this core are worth while. */
  virtual bool remote_stores() const = 0;

  /** Hand the slot over.  Everything written to `send_payload(slot)` is visible to the peer
      before `header.sequence` is. */
  virtual void put(int slot, const MessageHeader &header) = 0;

  /** nullptr: payloads are always copied. */
  virtual ArrayAccess *arrays() = 0;

  // ---- receiving

  /** The header of an incoming slot if the message with this sequence number has arrived, else
      nullptr.  Never blocks.  The payload is readable until `release()`. */
  virtual const MessageHeader *poll(int slot, std::uint64_t sequence) = 0;
  virtual const std::byte *recv_payload(int slot) const = 0;

  /** The receiver is done with the slot; must come before the credit for it is given. */
  virtual void release(int slot) = 0;

  /** Credit for the peer that does not travel with a message: all slots up to the given count have
      been released.  `poll_credit()` returns the highest count that the peer posted. */
  virtual void post_credit(std::uint64_t nreleased) = 0;
  virtual std::uint64_t poll_credit() = 0;

  // ---- begin and end

  /** To be called once, when the peer has its channel, too; then in_contact() until it is true:
      something has gone to the peer, and come from it.  in_contact() throws TransportError if that
      cannot be. */
  virtual void start_contact() = 0;
  virtual bool in_contact() = 0;

  /** Orderly end, both sides call it: start_close() on all channels, then closed() on all of them
      in turn until it is true: nothing from the peer is under way any more, and nothing for it is
      still here. */
  virtual void start_close() = 0;
  virtual bool closed() = 0;

  // ---- while this rank waits

  /** Let transfers in flight move on; called while this rank waits for anything at all. */
  virtual void progress() = 0;

  /** True if nothing that was handed over needs this process any more.  A provider that moves data
      only while it is called has to be called until the message has left: this rank may enter an
      MPI collective next, and wait there for the receiver. */
  virtual bool settled() = 0;

  /** Called now and then during a long wait: make sure that a peer on another host is still there.
      \throws TransportError if it is not. */
  virtual void check_peer() = 0;
};

}    // namespace TOFU_NS

#endif
