// SPDX-License-Identifier: GPL-2.0-only

#include "link.h"

#include "stream_copy.h"
#include "transport_error.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace TOFU_NS {

Link::Link(int me, int peer, std::unique_ptr<Channel> channel, const LinkOptions &options,
           CreditWaiter &waiter) :
    me_(me),
    peer_(peer), channel_(std::move(channel)), arrays_(channel_->arrays()), options_(options),
    waiter_(waiter),
    stream_(options.stream && !options.verify && stream_available() && channel_->remote_stores()),
    stage_(stream_ ? BLOCK + CACHE_LINE : 0), sent_(options.nslots), received_(options.nslots)
{
}

/* ---------------------------------------------------------------------- */

void Link::open(MessageKind kind, const Landing *offer)
{
  message_ = {kind, offer, false};
  stage_fill_ = 0;
  start_slot();
}

/* ---------------------------------------------------------------------- */

void Link::start_slot()
{
  if (!has_credit()) {
    counters_.ncredit_waits++;
    waiter_.wait_for_credit(*this);
  }
  payload_.begin = channel_->send_payload(sent_.slot());
  payload_.nbytes = 0;
}

/* ---------------------------------------------------------------------- */

bool Link::has_credit()
{
  if (nfree() > 0) return true;
  sent_.set_credit(channel_->poll_credit());
  return nfree() > 0;
}

/* ----------------------------------------------------------------------
   a block is not cut, so that the end of a slot may stay empty
------------------------------------------------------------------------- */

bool Link::fits(std::size_t nbytes)
{
  sent_.set_credit(channel_->poll_credit());
  return nfree() > 0 && nbytes <= nfree() * (channel_->send_capacity() / BLOCK * BLOCK);
}

/* ---------------------------------------------------------------------- */

std::byte *Link::reserve(std::size_t nbytes)
{
  if (stream_) {
    if (stage_fill_ + nbytes > stage_.size()) flush_stage(false);
    return stage_.data() + stage_fill_;
  }
  payload_.copy_pieces();
  if (payload_.nbytes + nbytes > channel_->send_capacity()) {
    publish(true);
    start_slot();
  }
  return payload_.end();
}

/* ---------------------------------------------------------------------- */

void Link::commit(std::size_t nbytes)
{
  if (stream_)
    stage_fill_ += nbytes;
  else
    payload_.nbytes += nbytes;
}

/* ---------------------------------------------------------------------- */

void Link::append(const void *data, std::size_t nbytes)
{
  auto source = static_cast<const std::byte *>(data);
  while (nbytes > 0) {
    const std::size_t n = std::min(nbytes, BLOCK);
    std::memcpy(reserve(n), source, n);
    commit(n);
    source += n;
    nbytes -= n;
  }
}

/* ----------------------------------------------------------------------
   copying short data takes less time than describing their place; a checksum
   needs the payload in one place
------------------------------------------------------------------------- */

void Link::append_in_place(const void *data, std::size_t nbytes)
{
  if (may_leave_from(data, nbytes))
    payload_.add_piece(data, nbytes);
  else
    append(data, nbytes);
}

/* ---------------------------------------------------------------------- */

bool Link::may_leave_from(const void *data, std::size_t nbytes) const
{
  static constexpr std::size_t WORTH_IT = 256;

  const bool joins = payload_.continues_piece(data);
  const int npieces = static_cast<int>(payload_.pieces.size()) + (joins ? 0 : 1);
  return arrays_ && nbytes >= (joins ? 1 : WORTH_IT) && npieces <= arrays_->max_pieces() &&
      !options_.verify && !message_.offer &&
      payload_.nbytes + nbytes <= channel_->send_capacity() &&
      arrays_->can_leave_from(data, nbytes);
}

/* ---------------------------------------------------------------------- */

void Link::close()
{
  if (stream_) flush_stage(true);
  publish(false);
  counters_.nmessages++;
  if (message_.fragmented) counters_.nfragmented++;
}

/* ----------------------------------------------------------------------
   stream the staged bytes into the slot, whole cache lines only; fewer than
   a line stay behind unless this is the end of the message, where the rest
   of the last line is padding that the receiver never looks at
------------------------------------------------------------------------- */

void Link::flush_stage(bool last)
{
  const std::size_t nbytes = last ? stage_fill_ : stage_fill_ / CACHE_LINE * CACHE_LINE;
  std::size_t done = 0;
  while (done < nbytes) {
    if (payload_.nbytes == channel_->send_capacity()) {
      publish(true);
      start_slot();
    }
    const std::size_t n = std::min(nbytes - done, channel_->send_capacity() - payload_.nbytes);
    stream_lines(payload_.end(), stage_.data() + done, round_to_lines(n));
    payload_.nbytes += n;
    done += n;
  }
  std::memmove(stage_.data(), stage_.data() + done, stage_fill_ - done);
  stage_fill_ -= done;
}

/* ---------------------------------------------------------------------- */

void Link::publish(bool more)
{
  MessageHeader header{};
  header.sequence = sent_.sequence();
  header.nbytes = payload_.nbytes;
  header.credit = received_.ndone();
  header.checksum = options_.verify ? message_checksum(payload_.begin, payload_.nbytes) : 0;
  header.kind = message_.kind;
  header.more = more ? 1 : 0;

  if (stream_) stream_fence();
  std::vector<ArrayMemory> &pieces = payload_.pieces;
  if (message_.offer) {
    arrays_->put_landing(sent_.slot(), header, *message_.offer);
    counters_.nlanded++;
  } else if (!pieces.empty()) {
    arrays_->put_pieces(sent_.slot(), header, pieces.data(), static_cast<int>(pieces.size()));
    for (const ArrayMemory &piece : pieces) counters_.nbytes_in_place += piece.nbytes;
    pieces.clear();
  } else {
    channel_->put(sent_.slot(), header);
  }

  sent_.advance();
  received_.set_credit(received_.ndone());
  counters_.nbytes += payload_.nbytes;
  message_.fragmented = message_.fragmented || more;
}

/* ---------------------------------------------------------------------- */

const Message *Link::try_receive()
{
  if (view_place_ != NOTHING) return &view_;

  while (!stored_.first_is_complete()) {
    const MessageHeader *header = poll_slot();
    if (!header) return nullptr;

    // the usual case: all of the message is in this slot and is read from there

    if (stored_.empty() && !header->more) {
      view_ = {header->kind, channel_->recv_payload(received_.slot()),
               static_cast<std::size_t>(header->nbytes), header->landed != 0};
      view_place_ = IN_SLOT;
      return &view_;
    }
    store_slot(*header);
  }

  view_ = stored_.first();
  view_place_ = IN_STORE;
  return &view_;
}

/* ---------------------------------------------------------------------- */

void Link::release()
{
  if (view_place_ == IN_SLOT) release_slot();
  if (view_place_ == IN_STORE) stored_.remove_first();
  view_place_ = NOTHING;
}

/* ----------------------------------------------------------------------
   while a message is being read in its slot nothing can be released beyond
   it; LAMMPS sends everything of a call before it reads, so this is never
   the case when it matters
------------------------------------------------------------------------- */

void Link::drain()
{
  if (view_place_ == IN_SLOT) return;
  while (const MessageHeader *header = poll_slot()) store_slot(*header);
}

/* ---------------------------------------------------------------------- */

void Link::join_fragments()
{
  if (view_place_ == IN_SLOT) return;
  while (const MessageHeader *header = poll_slot()) {
    if (!header->more && !stored_.last_is_incomplete()) return;
    store_slot(*header);
  }
}

/* ---------------------------------------------------------------------- */

const MessageHeader *Link::poll_slot()
{
  const int slot = received_.slot();
  const std::uint64_t due = received_.sequence();
  const MessageHeader *header = channel_->poll(slot, due);
  if (!header) return nullptr;

  if (header->sequence != due)
    throw TransportError("rank " + std::to_string(me_) + " got message " +
                         std::to_string(header->sequence) + " from rank " + std::to_string(peer_) +
                         " where message " + std::to_string(due) + " was due; transport " +
                         channel_->name());
  if (header->checksum &&
      header->checksum != message_checksum(channel_->recv_payload(slot), header->nbytes))
    throw TransportError("rank " + std::to_string(me_) + " got a damaged " +
                         message_kind_name(header->kind) + " message of " +
                         std::to_string(header->nbytes) + " bytes from rank " +
                         std::to_string(peer_) + "; transport " + channel_->name());

  sent_.set_credit(header->credit);
  return header;
}

/* ---------------------------------------------------------------------- */

void Link::store_slot(const MessageHeader &header)
{
  stored_.store(header, channel_->recv_payload(received_.slot()));
  release_slot();
}

/* ---------------------------------------------------------------------- */

void Link::release_slot()
{
  channel_->release(received_.slot());
  received_.advance();
  if (received_.nopen() >= std::max<std::uint64_t>(1, options_.nslots / 2)) {
    channel_->post_credit(received_.ndone());
    received_.set_credit(received_.ndone());
    counters_.nlone_credits++;
  }
}

}    // namespace TOFU_NS
