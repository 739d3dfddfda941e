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
    stage_(stream_ ? BLOCK + CACHE_LINE : 0)
{
}

/* ---------------------------------------------------------------------- */

void Link::open(MessageKind kind, const Landing *offer)
{
  kind_ = kind;
  offer_ = offer;
  fragmented_ = false;
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
  payload_ = channel_->send_payload(static_cast<int>(nsent_ % options_.nslots));
  payload_fill_ = 0;
}

/* ---------------------------------------------------------------------- */

bool Link::has_credit()
{
  const auto nslots = static_cast<std::uint64_t>(options_.nslots);
  if (nsent_ - credit_ < nslots) return true;
  credit_ = std::max(credit_, channel_->poll_credit());
  return nsent_ - credit_ < nslots;
}

/* ----------------------------------------------------------------------
   a block is not cut, so that the end of a slot may stay empty
------------------------------------------------------------------------- */

bool Link::fits(std::size_t nbytes)
{
  credit_ = std::max(credit_, channel_->poll_credit());
  const std::size_t nfree = options_.nslots - static_cast<std::size_t>(nsent_ - credit_);
  return nfree > 0 && nbytes <= nfree * (channel_->send_capacity() / BLOCK * BLOCK);
}

/* ---------------------------------------------------------------------- */

std::byte *Link::reserve(std::size_t nbytes)
{
  if (stream_) {
    if (stage_fill_ + nbytes > stage_.size()) flush_stage(false);
    return stage_.data() + stage_fill_;
  }
  if (!pieces_.empty()) copy_pieces();
  if (payload_fill_ + nbytes > channel_->send_capacity()) {
    publish(true);
    start_slot();
  }
  return payload_ + payload_fill_;
}

/* ---------------------------------------------------------------------- */

void Link::commit(std::size_t nbytes)
{
  if (stream_)
    stage_fill_ += nbytes;
  else
    payload_fill_ += nbytes;
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
  const bool joins = !pieces_.empty() &&
      static_cast<const std::byte *>(pieces_.back().data) + pieces_.back().nbytes == data;
  if (!may_leave_from(data, nbytes, joins)) {
    append(data, nbytes);
    return;
  }
  if (joins)
    pieces_.back().nbytes += nbytes;
  else
    pieces_.push_back({data, nbytes});
  payload_fill_ += nbytes;
}

/* ----------------------------------------------------------------------
   Args:
     joins   the data continue the last piece
------------------------------------------------------------------------- */

bool Link::may_leave_from(const void *data, std::size_t nbytes, bool joins) const
{
  static constexpr std::size_t WORTH_IT = 256;

  const int npieces = static_cast<int>(pieces_.size()) + (joins ? 0 : 1);
  return arrays_ && nbytes >= (joins ? 1 : WORTH_IT) && npieces <= arrays_->max_pieces() &&
      !options_.verify && !offer_ && payload_fill_ + nbytes <= channel_->send_capacity() &&
      arrays_->can_leave_from(data, nbytes);
}

/* ----------------------------------------------------------------------
   more follows, so that the pieces are not the end of the payload
------------------------------------------------------------------------- */

void Link::copy_pieces()
{
  std::byte *end = payload_ + payload_fill_;
  while (!pieces_.empty()) {
    end -= pieces_.back().nbytes;
    std::memcpy(end, pieces_.back().data, pieces_.back().nbytes);
    pieces_.pop_back();
  }
}

/* ---------------------------------------------------------------------- */

void Link::close()
{
  if (stream_) flush_stage(true);
  publish(false);
  counters_.nmessages++;
  if (fragmented_) counters_.nfragmented++;
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
    if (payload_fill_ == channel_->send_capacity()) {
      publish(true);
      start_slot();
    }
    const std::size_t n = std::min(nbytes - done, channel_->send_capacity() - payload_fill_);
    stream_lines(payload_ + payload_fill_, stage_.data() + done, round_to_lines(n));
    payload_fill_ += n;
    done += n;
  }
  std::memmove(stage_.data(), stage_.data() + done, stage_fill_ - done);
  stage_fill_ -= done;
}

/* ---------------------------------------------------------------------- */

void Link::publish(bool more)
{
  MessageHeader header{};
  header.sequence = nsent_ + 1;
  header.nbytes = payload_fill_;
  header.credit = nreleased_;
  header.checksum = options_.verify ? message_checksum(payload_, payload_fill_) : 0;
  header.kind = kind_;
  header.more = more ? 1 : 0;

  if (stream_) stream_fence();
  const int slot = static_cast<int>(nsent_ % options_.nslots);
  if (offer_) {
    arrays_->put_landing(slot, header, *offer_);
    counters_.nlanded++;
  } else if (!pieces_.empty()) {
    arrays_->put_pieces(slot, header, pieces_.data(), static_cast<int>(pieces_.size()));
    for (const ArrayMemory &piece : pieces_) counters_.nbytes_in_place += piece.nbytes;
    pieces_.clear();
  } else {
    channel_->put(slot, header);
  }

  nsent_++;
  ncredited_ = nreleased_;
  counters_.nbytes += payload_fill_;
  fragmented_ = fragmented_ || more;
}

/* ---------------------------------------------------------------------- */

const Message *Link::try_receive()
{
  if (view_place_ != NOTHING) return &view_;

  while (stored_.empty() || (stored_.size() == 1 && incomplete_)) {
    const MessageHeader *header = poll_slot();
    if (!header) return nullptr;

    // the usual case: all of the message is in this slot and is read from there

    if (stored_.empty() && !header->more) {
      view_ = {header->kind, channel_->recv_payload(static_cast<int>(nreleased_ % options_.nslots)),
               static_cast<std::size_t>(header->nbytes), header->landed != 0};
      view_place_ = IN_SLOT;
      return &view_;
    }
    store_slot(*header);
  }

  view_ = {stored_.front().kind, stored_.front().bytes.data(), stored_.front().bytes.size(),
           stored_.front().landed};
  view_place_ = IN_STORE;
  return &view_;
}

/* ---------------------------------------------------------------------- */

void Link::release()
{
  if (view_place_ == IN_SLOT) release_slot();
  if (view_place_ == IN_STORE) stored_.pop_front();
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
    if (!header->more && !incomplete_) return;
    store_slot(*header);
  }
}

/* ---------------------------------------------------------------------- */

const MessageHeader *Link::poll_slot()
{
  const int slot = static_cast<int>(nreleased_ % options_.nslots);
  const MessageHeader *header = channel_->poll(slot, nreleased_ + 1);
  if (!header) return nullptr;

  if (header->sequence != nreleased_ + 1)
    throw TransportError("rank " + std::to_string(me_) + " got message " +
                         std::to_string(header->sequence) + " from rank " + std::to_string(peer_) +
                         " where message " + std::to_string(nreleased_ + 1) +
                         " was due; transport " + channel_->name());
  if (header->checksum &&
      header->checksum != message_checksum(channel_->recv_payload(slot), header->nbytes))
    throw TransportError("rank " + std::to_string(me_) + " got a damaged " +
                         message_kind_name(header->kind) + " message of " +
                         std::to_string(header->nbytes) + " bytes from rank " +
                         std::to_string(peer_) + "; transport " + channel_->name());

  credit_ = std::max(credit_, header->credit);
  return header;
}

/* ---------------------------------------------------------------------- */

void Link::store_slot(const MessageHeader &header)
{
  if (!incomplete_) stored_.push_back({header.kind, {}, header.landed != 0});
  const std::byte *payload = channel_->recv_payload(static_cast<int>(nreleased_ % options_.nslots));
  auto &bytes = stored_.back().bytes;
  bytes.insert(bytes.end(), payload, payload + header.nbytes);
  incomplete_ = header.more != 0;
  release_slot();
}

/* ---------------------------------------------------------------------- */

void Link::release_slot()
{
  channel_->release(static_cast<int>(nreleased_ % options_.nslots));
  nreleased_++;
  if (nreleased_ - ncredited_ >= static_cast<std::uint64_t>(credit_threshold())) {
    channel_->post_credit(nreleased_);
    ncredited_ = nreleased_;
    counters_.nlone_credits++;
  }
}

}    // namespace TOFU_NS
