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

  /** Register arrays of the caller, in place of those registered before; does nothing if they are
      the same.  Throws TransportError.

      \return   # of registrations that it took */
  virtual int set_arrays(const ArrayMemory &landing, const ArrayMemory &source) = 0;

  /** True if a message may take this memory as a piece. */
  virtual bool can_leave_from(const void *data, std::size_t nbytes) const = 0;

  /** An offer for the peer; empty if the pieces are not in registered memory or too many. */
  virtual Landing make_offer(const ArrayPieces &pieces) const = 0;

  /** As Channel::put(), but the payload ends with pieces of the caller's memory. */
  virtual void put_pieces(int slot, const MessageHeader &header, const ArrayMemory *pieces,
                          int npieces) = 0;

  /** As Channel::put(), but the payload goes to the places of an offer, and the header is not sent.
      */
  virtual void put_landing(int slot, const MessageHeader &header, const Landing &offer) = 0;
};

class Channel {
 public:
  virtual ~Channel() = default;

  virtual const char *name() const = 0;    // "shm", "mpi"

  // ---- sending

  /** Memory in which the payload of an outgoing slot is assembled; cache-line aligned,
      `send_capacity()` bytes.  It may be the peer's memory.  To be written only between the credit
      for the slot's previous message and `put()`. */
  virtual std::byte *send_payload(int slot) = 0;
  virtual std::size_t send_capacity() const = 0;

  /** True if `send_payload()` is memory that another core reads: stores that bypass the cache of
      this core are faster then. */
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

  /** Called when the receiver has read the slot, before the credit for it is posted. */
  virtual void release(int slot) = 0;

  /** Send the peer credit without a message: all slots up to the given count have been released.
      `poll_credit()` returns the highest count that the peer posted. */
  virtual void post_credit(std::uint64_t nreleased) = 0;
  virtual std::uint64_t poll_credit() = 0;

  // ---- begin and end

  /** Start the test of the connection.  To be called once, after the peer has made its channel;
      then in_contact() until it is true: data have gone to the peer and have come from it.
      in_contact() throws TransportError if that is impossible. */
  virtual void start_contact() = 0;
  virtual bool in_contact() = 0;

  /** Orderly end, called by both sides: start_close() on all channels, then closed() on all of them
      in turn until it is true: no data from the peer are in flight, and all data for it have left
      this process. */
  virtual void start_close() = 0;
  virtual bool closed() = 0;

  // ---- while this rank waits

  /** Advance transfers in flight; called in every wait of this rank. */
  virtual void progress() = 0;

  /** True if all messages of put() have left this process.  Providers that move data only while
      they are called have to be called until then, since this rank may enter an MPI collective next
      and wait there for the receiver. */
  virtual bool settled() = 0;

  /** Called repeatedly during a long wait: check the connection to a peer on another host.
      \throws TransportError if it is lost. */
  virtual void check_peer() = 0;
};

}    // namespace TOFU_NS

#endif
