// SPDX-License-Identifier: GPL-2.0-only
//
// From the queue of orders to packets: late reads of the source, line by line; then the entries of
// the TCQ, in the order of the posts.

#include "process.h"

#include <algorithm>
#include <cstring>

namespace TOFU_EMULATOR {

namespace {

  constexpr std::size_t WINDOW = 8;       // orders that are read at the same time
  constexpr std::size_t ENOUGH = 1024;    // packets that wait for one rank

  /** Cut a put where a line of the target or a page of the source ends.  The piece that ends last
      comes first. */
  std::vector<Piece> pieces_of(std::uint64_t target, std::uint64_t source, std::uint64_t length)
  {
    std::vector<Piece> pieces;
    for (std::uint64_t at = 0; at < length;) {
      const std::uint64_t to_line = LINE - (target + at) % LINE;
      const std::uint64_t to_page = PAGE - (source + at) % PAGE;
      const std::uint64_t n = std::min({to_line, to_page, length - at});
      pieces.push_back({at, static_cast<std::uint32_t>(n)});
      at += n;
    }
    std::reverse(pieces.begin(), pieces.end());
    return pieces;
  }

}    // namespace

/* ---------------------------------------------------------------------- */

std::size_t Process::waiting_for(int rank) const
{
  if (rank == job.rank()) return pool_.size();
  const auto found = outgoing_.find(rank);
  return found == outgoing_.end() ? 0 : found->second.size();
}

/* ----------------------------------------------------------------------
   without a seed all in order; with one, a random piece of a random order
------------------------------------------------------------------------- */

bool Process::read_some(ControlQueue &cq)
{
  bool progress = false;
  if (!shuffled()) {
    for (std::size_t i = 0; i < cq.toq.size(); i++) {
      Order &order = *cq.toq[i];
      if (order.read) continue;
      if (!order.started) start(order);
      while (!order.read && waiting_for(order.to.rank) < ENOUGH) {
        read_piece(order);
        progress = true;
      }
      if (!order.read) break;
      progress = true;
    }
    return progress;
  }
  std::size_t npicks = 0;
  for (std::size_t i = 0; i < std::min(WINDOW, cq.toq.size()); i++) {
    Order &order = *cq.toq[i];
    if (order.hold > 0) {
      order.hold--;
      continue;
    }
    npicks += 1 + order.unread.size();
  }
  for (; npicks > 0; npicks--) {
    const std::size_t i = random.below(std::min(WINDOW, cq.toq.size()));
    Order &order = *cq.toq[i];
    if (order.read || order.hold > 0 || !may_read(cq, i)) continue;
    if (waiting_for(order.to.rank) >= ENOUGH) continue;
    if (!order.started)
      start(order);
    else
      read_piece(order);
    progress = true;
  }
  return progress;
}

/* ---------------------------------------------------------------------- */

bool Process::may_read(const ControlQueue &cq, std::size_t index) const
{
  const Order &order = *cq.toq[index];
  if (!(order.flags & UTOFU_ONESIDED_FLAG_STRONG_ORDER)) return true;
  for (std::size_t i = 0; i < index; i++) {
    const Order &earlier = *cq.toq[i];
    if (!earlier.read && earlier.vcq == order.vcq && earlier.to.serial == order.to.serial &&
        earlier.path == order.path)
      return false;
  }
  return true;
}

/* ---------------------------------------------------------------------- */

void Process::start(Order &order)
{
  order.started = true;
  if (order.kind == Order::NOP) {
    order.read = true;
    return;
  }
  if (order.to.rank < 0 || gone_.count(order.to.rank)) {
    lose(order);
    order.read = true;
    return;
  }
  order.npieces = 1;
  if (order.kind == Order::PUT) {
    std::uint64_t source = 0;
    if (!order.piggyback) {
      const Place place = order.vcq->memory.find(order.lcl, order.length, false);
      if (place.finding != Place::FOUND) {
        fail(order, place.finding == Place::NO_STADD ? UTOFU_ERR_TCQ_STADD : UTOFU_ERR_TCQ_LENGTH);
        return;
      }
      source = reinterpret_cast<std::uintptr_t>(place.address);
    }
    order.unread = pieces_of(order.rmt, source, order.length);
    order.npieces = order.unread.size();
    order.last_offset = order.unread.front().offset;
    return;
  }
  Packet packet = packet_of(order, order.kind == Order::GET ? Packet::FETCH : Packet::ARMW);
  packet.stadd = order.rmt;
  send_to(order.to.rank, packet);
  order.read = true;
}

/* ----------------------------------------------------------------------
   the memory is read now, whatever the program has done with it since the post
------------------------------------------------------------------------- */

void Process::read_piece(Order &order)
{
  std::vector<Piece> &unread = order.unread;
  std::size_t i = unread.size() - 1;
  if (shuffled() && i > 0) {
    const bool strong = order.flags & UTOFU_ONESIDED_FLAG_STRONG_ORDER;
    i = strong ? 1 + random.below(i) : random.below(i + 1);
  }
  const Piece piece = unread[i];
  Packet packet = packet_of(order, Packet::PIECE);
  packet.stadd = order.rmt + piece.offset;
  packet.nbytes = piece.nbytes;
  packet.is_last = piece.offset == order.last_offset;
  if (order.piggyback) {
    std::memcpy(packet.data, order.data + piece.offset, piece.nbytes);
  } else {
    const Place place = order.vcq->memory.find(order.lcl + piece.offset, piece.nbytes, false);
    if (place.finding != Place::FOUND) {
      fail(order, UTOFU_ERR_TCQ_STADD);
      return;
    }
    std::memcpy(packet.data, place.address, piece.nbytes);
  }
  send_to(order.to.rank, packet);
  // the last piece stays in front
  unread[i] = unread.back();
  unread.pop_back();
  order.read = unread.empty();
}

/* ----------------------------------------------------------------------
   orders behind it must not wait for ever at the target
------------------------------------------------------------------------- */

void Process::fail(Order &order, int code)
{
  order.code = code;
  order.read = true;
  order.unread.clear();
  send_to(order.to.rank, packet_of(order, Packet::NOTHING));
  const auto found = order.vcq->streams.find({order.to.serial, order.path});
  if (found == order.vcq->streams.end()) return;
  auto &local = found->second.local;
  local.erase(std::remove_if(local.begin(), local.end(),
                             [&](const auto &one) { return one.first == order.number; }),
              local.end());
  awaited_.erase(order.number);
}

/* ---------------------------------------------------------------------- */

void Process::lose(const Order &order)
{
  if (awaited_.count(order.number)) {
    settle(order.number, UTOFU_ERR_MRQ_PEER, 0);
    return;
  }
  Entry entry{UTOFU_ERR_MRQ_PEER, nullptr, {}};
  entry.notice.vcq_id = order.to_vcq;
  entry.notice.edata = order.edata;
  entry.notice.rmt_stadd = order.rmt + order.length;
  enter_mrq(*order.vcq, entry);
}

/* ---------------------------------------------------------------------- */

Packet Process::packet_of(const Order &order, Packet::Kind kind) const
{
  Packet packet{};
  packet.kind = kind;
  packet.path = static_cast<std::uint8_t>(order.path);
  packet.edata = static_cast<std::uint8_t>(order.edata);
  packet.from = job.rank();
  packet.from_vcq = order.vcq->id;
  packet.from_serial = order.vcq->serial;
  packet.to_vcq = order.to_vcq;
  packet.to_serial = order.to.serial;
  packet.flags = order.flags;
  packet.sequence = order.sequence;
  packet.npieces = order.npieces;
  packet.ordinal = order.ordinal;
  packet.number = order.number;
  packet.begin = order.rmt;
  packet.length = order.length;
  packet.op = order.op;
  packet.width = order.width;
  packet.value[0] = order.value[0];
  packet.value[1] = order.value[1];
  packet.is_last = 1;
  return packet;
}

/* ---------------------------------------------------------------------- */

bool Process::retire(ControlQueue &cq)
{
  bool progress = false;
  while (!cq.toq.empty() && cq.toq.front()->read) {
    if (shuffled() && random.one_in(3)) break;
    const std::unique_ptr<Order> order = std::move(cq.toq.front());
    cq.toq.pop_front();
    progress = true;
    if (order->code != UTOFU_SUCCESS || order->flags & UTOFU_ONESIDED_FLAG_TCQ_NOTICE)
      enter_tcq(*order->vcq, {order->code, order->cbdata, {}});
  }
  return progress;
}

/* ---------------------------------------------------------------------- */

void Process::enter_tcq(Vcq &vcq, const Entry &entry)
{
  vcq.tcq.push_back(entry);
  vcq.ntcq++;
  vcq.cq->most_tcq = std::max(vcq.cq->most_tcq, ++vcq.cq->ntcq);
}

/* ---------------------------------------------------------------------- */

void Process::send_to(int rank, const Packet &packet)
{
  if (rank == job.rank()) {
    pool_.push_back(packet);
    delay(pool_.back());
    wake();
  } else if (rank >= 0) {
    outgoing_[rank].push_back(packet);
  }
}

/* ---------------------------------------------------------------------- */

bool Process::flush()
{
  bool progress = false;
  Packet batch[16];
  for (auto &[rank, packets] : outgoing_) {
    while (!packets.empty()) {
      if (gone_.count(rank)) {
        packets.clear();
        break;
      }
      const std::size_t n = std::min(packets.size(), std::size(batch));
      std::copy(packets.begin(), packets.begin() + static_cast<std::ptrdiff_t>(n), batch);
      const std::size_t done = job.send(rank, batch, n);
      packets.erase(packets.begin(), packets.begin() + static_cast<std::ptrdiff_t>(done));
      if (done) progress = true;
      if (done < n) break;
    }
  }
  return progress;
}

/* ----------------------------------------------------------------------
   of a process that has ended all is lost: what it should have answered comes back as an error
------------------------------------------------------------------------- */

void Process::look_after_peers()
{
  const auto now = std::chrono::steady_clock::now();
  if (now - last_look_ < std::chrono::milliseconds(50)) return;
  last_look_ = now;
  for (int rank = 0; rank < job.size(); rank++)
    if (rank != job.rank() && !gone_.count(rank) && job.is_gone(rank)) gone_.insert(rank);
  std::vector<std::uint64_t> lost;
  for (const auto &[number, one] : awaited_)
    if (gone_.count(one.rank)) lost.push_back(number);
  for (const std::uint64_t number : lost) settle(number, UTOFU_ERR_MRQ_PEER, 0);
}

}    // namespace TOFU_EMULATOR
