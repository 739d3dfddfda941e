// SPDX-License-Identifier: GPL-2.0-only
//
// From packets to memory: lines in any order that the rules allow, then notices and answers.

#include "process.h"

#include <algorithm>
#include <cstring>

namespace TOFU_EMULATOR {

bool Process::take_arrivals()
{
  const std::size_t before = pool_.size();
  job.receive(pool_);
  for (std::size_t i = before; i < pool_.size(); i++) delay(pool_[i]);
  return pool_.size() > before;
}

/* ----------------------------------------------------------------------
   orders of one line often, the lines of others seldom, since they have many
------------------------------------------------------------------------- */

void Process::delay(Packet &packet)
{
  packet.due = 0;
  if (shuffled() && random.one_in(packet.npieces > 1 ? 64 : 4))
    packet.due = nsteps_ + random.below(16);
}

/* ---------------------------------------------------------------------- */

bool Process::apply_some()
{
  bool progress = false;
  if (!shuffled()) {
    std::vector<Packet> packets;
    packets.swap(pool_);
    for (const Packet &packet : packets) {
      if (apply(packet))
        progress = true;
      else
        pool_.push_back(packet);
    }
    return progress;
  }
  for (std::size_t npicks = pool_.size(); npicks > 0 && !pool_.empty(); npicks--) {
    if (random.one_in(4)) continue;
    const std::size_t i = random.below(pool_.size());
    if (pool_[i].due > nsteps_) continue;
    const Packet packet = pool_[i];
    if (!apply(packet)) continue;    // it may have sent packets to this very process
    pool_[i] = pool_.back();
    pool_.pop_back();
    progress = true;
  }
  return progress;
}

/* ----------------------------------------------------------------------
   Returns: false if it has to wait
------------------------------------------------------------------------- */

bool Process::apply(const Packet &packet)
{
  switch (packet.kind) {
    case Packet::ANSWER:
      hear_answer(packet);
      return true;
    case Packet::FETCHED:
      write_fetched(packet);
      return true;
    case Packet::GATE:
      gates.arrive(packet);
      return true;
    default:
      break;
  }
  Vcq *const vcq = by_serial(packet.to_serial);
  if (!vcq) {
    if (packet.kind != Packet::NOTHING && packet.is_last) answer(packet, UTOFU_ERR_MRQ_PEER, 0);
    return true;
  }
  Arrivals &arrivals = arrivals_[{packet.to_serial, packet.from_serial, packet.path}];
  if (packet.sequence < arrivals.ndone || arrivals.done.count(packet.sequence)) return true;
  if (!may_write(packet, arrivals)) return false;

  Arriving &arriving = arrivals.open[packet.sequence];
  std::uint64_t old_value = 0;
  if (packet.kind == Packet::NOTHING) {
    arriving.cancelled = true;
  } else {
    const int code = write(packet, *vcq, old_value);
    if (code != UTOFU_SUCCESS) arriving.code = code;
    arriving.nwritten++;
  }
  if (arriving.cancelled || arriving.nwritten == packet.npieces) {
    const Arriving whole = arriving;
    arrivals.open.erase(packet.sequence);
    arrivals.done.insert(packet.sequence);
    while (arrivals.done.erase(arrivals.ndone)) arrivals.ndone++;
    complete(packet, vcq, arrivals, whole, old_value);
  }
  return true;
}

/* ---------------------------------------------------------------------- */

bool Process::may_write(const Packet &packet, const Arrivals &arrivals) const
{
  if (!(packet.flags & UTOFU_ONESIDED_FLAG_STRONG_ORDER) || packet.kind == Packet::NOTHING)
    return true;
  if (arrivals.ndone < packet.sequence) return false;
  if (!packet.is_last || packet.npieces == 1) return true;
  const auto found = arrivals.open.find(packet.sequence);
  return found != arrivals.open.end() && found->second.nwritten == packet.npieces - 1;
}

/* ---------------------------------------------------------------------- */

int Process::write(const Packet &packet, Vcq &vcq, std::uint64_t &old_value)
{
  if (packet.kind == Packet::FETCH) return fetch(packet, vcq);
  if (packet.kind == Packet::ARMW) return operate(packet, vcq, old_value);
  return write_bytes(packet, vcq);
}

namespace {

  int code_of(Place::Finding finding)
  {
    switch (finding) {
      case Place::NO_STADD:
        return UTOFU_ERR_MRQ_RMT_STADD;
      case Place::TOO_LONG:
        return UTOFU_ERR_MRQ_RMT_LENGTH;
      case Place::READ_ONLY:
        return UTOFU_ERR_MRQ_RMT_MEMORY;
      case Place::FOUND:
        break;
    }
    return UTOFU_SUCCESS;
  }

}    // namespace

/* ---------------------------------------------------------------------- */

int Process::write_bytes(const Packet &packet, Vcq &vcq)
{
  const Place all = vcq.memory.find(packet.begin, packet.length, true);
  if (all.finding != Place::FOUND) return code_of(all.finding);
  unsigned char *const at = all.address + (packet.stadd - packet.begin);
  if (packet.flags & UTOFU_ONESIDED_FLAG_PADDING) {
    // the rest of the line gets any values, as far as it is registered
    unsigned char *const line = at - reinterpret_cast<std::uintptr_t>(at) % LINE;
    for (unsigned char *byte = line; byte < line + LINE; byte++) {
      if (byte >= at && byte < at + packet.nbytes) continue;
      const Place place = vcq.memory.find(packet.stadd + (byte - at), 1, true);
      if (place.finding == Place::FOUND) *byte = static_cast<unsigned char>(random.next());
    }
  }
  std::uint64_t word;
  if (packet.nbytes == sizeof(word) && reinterpret_cast<std::uintptr_t>(at) % sizeof(word) == 0) {
    std::memcpy(&word, packet.data, sizeof(word));    // programs may look at words at any time
    __atomic_store_n(reinterpret_cast<std::uint64_t *>(at), word, __ATOMIC_RELEASE);
  } else {
    std::memcpy(at, packet.data, packet.nbytes);
  }
  return UTOFU_SUCCESS;
}

/* ---------------------------------------------------------------------- */

int Process::operate(const Packet &packet, Vcq &vcq, std::uint64_t &old_value)
{
  const Place place = vcq.memory.find(packet.stadd, packet.width, true);
  if (place.finding != Place::FOUND) return code_of(place.finding);
  std::uint64_t old = 0, fresh = packet.value[0];
  std::memcpy(&old, place.address, packet.width);
  old_value = old;
  switch (packet.op) {
    case 0:
      if (old != packet.value[1]) fresh = old;
      break;
    case UTOFU_ARMW_OP_ADD:
      fresh = old + fresh;
      break;
    case UTOFU_ARMW_OP_XOR:
      fresh = old ^ fresh;
      break;
    case UTOFU_ARMW_OP_AND:
      fresh = old & fresh;
      break;
    case UTOFU_ARMW_OP_OR:
      fresh = old | fresh;
      break;
    default:
      break;
  }
  std::memcpy(place.address, &fresh, packet.width);
  return UTOFU_SUCCESS;
}

/* ---------------------------------------------------------------------- */

int Process::fetch(const Packet &packet, Vcq &vcq)
{
  const Place place = vcq.memory.find(packet.begin, packet.length, false);
  if (place.finding != Place::FOUND) return code_of(place.finding);
  Packet part = packet;
  part.kind = Packet::FETCHED;
  part.from = job.rank();
  for (std::uint64_t at = 0; at < packet.length; at += part.nbytes) {
    part.nbytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(LINE, packet.length - at));
    part.stadd = at;
    std::memcpy(part.data, place.address + at, part.nbytes);
    send_to(packet.from, part);
  }
  return UTOFU_SUCCESS;
}

/* ---------------------------------------------------------------------- */

void Process::write_fetched(const Packet &packet)
{
  const auto found = awaited_.find(packet.number);
  if (found == awaited_.end()) return;
  Awaited &one = found->second;
  Vcq *const vcq = by_serial(one.serial);
  if (!vcq) return;
  const Place place = vcq->memory.find(one.order.lcl + packet.stadd, packet.nbytes, true);
  if (place.finding != Place::FOUND) {
    settle(packet.number,
           place.finding == Place::NO_STADD       ? UTOFU_ERR_MRQ_LCL_STADD
               : place.finding == Place::TOO_LONG ? UTOFU_ERR_MRQ_LCL_LENGTH
                                                  : UTOFU_ERR_MRQ_LCL_MEMORY,
           0);
    return;
  }
  std::memcpy(place.address, packet.data, packet.nbytes);
  one.nfetched += packet.nbytes;
  if (one.nfetched == one.order.length) settle(packet.number, UTOFU_SUCCESS, 0);
}

/* ----------------------------------------------------------------------
   all of an order is here
------------------------------------------------------------------------- */

void Process::complete(const Packet &packet, Vcq *vcq, Arrivals &arrivals, const Arriving &arriving,
                       std::uint64_t old_value)
{
  const bool good = arriving.code == UTOFU_SUCCESS && !arriving.cancelled;
  Entry entry{UTOFU_SUCCESS, nullptr, {}};
  entry.notice.vcq_id = packet.from_vcq;
  entry.notice.edata = packet.edata;
  entry.notice.rmt_stadd = packet.begin + packet.length;
  entry.notice.notice_type = UTOFU_MRQ_TYPE_RMT_PUT;
  if (packet.kind == Packet::FETCH) entry.notice.notice_type = UTOFU_MRQ_TYPE_RMT_GET;
  if (packet.kind == Packet::ARMW) {
    entry.notice.notice_type = UTOFU_MRQ_TYPE_RMT_ARMW;
    entry.notice.rmt_stadd = packet.begin;
  }
  if (packet.ordinal != NONE) {
    const int hold = shuffled() && random.one_in(3) ? static_cast<int>(random.below(12)) : 0;
    entry.code = good ? UTOFU_SUCCESS
                      : UTOFU_ERR_NOT_FOUND;    // the latter: it only takes its turn
    arrivals.ready[packet.ordinal] = {hold, entry};
    nready_++;
  } else if (settings.extra_notices && packet.kind == Packet::PIECE && good) {
    enter_mrq(*vcq, entry);
  }
  if (arriving.cancelled) return;
  const bool asks = packet.flags & UTOFU_ONESIDED_FLAG_LOCAL_MRQ_NOTICE;
  if (!good)
    answer(packet, arriving.code, 0);
  else if (packet.kind == Packet::ARMW || (asks && packet.kind == Packet::PIECE))
    answer(packet, UTOFU_SUCCESS, old_value);
}

/* ---------------------------------------------------------------------- */

void Process::answer(const Packet &packet, int code, std::uint64_t value)
{
  Packet back = packet;
  back.kind = Packet::ANSWER;
  back.from = job.rank();
  back.code = code;
  back.value[0] = value;
  send_to(packet.from, back);
}

/* ---------------------------------------------------------------------- */

void Process::hear_answer(const Packet &packet)
{
  if (awaited_.count(packet.number)) {
    settle(packet.number, packet.code, packet.value[0]);
    return;
  }
  Vcq *const vcq = by_serial(packet.from_serial);
  if (!vcq || packet.code == UTOFU_SUCCESS) return;
  Entry entry{packet.code, nullptr, {}};
  entry.notice.vcq_id = packet.to_vcq;
  entry.notice.edata = packet.edata;
  entry.notice.rmt_stadd = packet.begin + packet.length;
  enter_mrq(*vcq, entry);
}

/* ----------------------------------------------------------------------
   local notices of a stream come in the order of the posts, errors when they are known
------------------------------------------------------------------------- */

void Process::settle(std::uint64_t number, int code, std::uint64_t value)
{
  const Awaited one = awaited_.at(number);
  awaited_.erase(number);
  Vcq *const vcq = by_serial(one.serial);
  if (!vcq) return;
  Stream &stream = vcq->streams[one.stream];
  const Order &order = one.order;
  Entry entry{code, nullptr, {}};
  entry.notice.vcq_id = order.to_vcq;
  entry.notice.edata = order.edata;
  if (order.kind == Order::PUT) {
    entry.notice.notice_type = UTOFU_MRQ_TYPE_LCL_PUT;
    entry.notice.rmt_stadd = order.rmt + order.length;
  } else if (order.kind == Order::GET) {
    entry.notice.notice_type = UTOFU_MRQ_TYPE_LCL_GET;
    entry.notice.lcl_stadd = order.lcl + order.length;
  } else {
    entry.notice.notice_type = UTOFU_MRQ_TYPE_LCL_ARMW;
    entry.notice.rmt_stadd = order.rmt;
    entry.notice.rmt_value = value;
  }
  for (auto place = stream.local.begin(); place != stream.local.end(); ++place) {
    if (place->first != number) continue;
    if (code != UTOFU_SUCCESS) {
      stream.local.erase(place);
      break;
    }
    place->second = true;
    stream.ready[number] = entry;
    nready_++;
    return;
  }
  if (code != UTOFU_SUCCESS) enter_mrq(*vcq, entry);
}

/* ---------------------------------------------------------------------- */

bool Process::deliver()
{
  bool progress = false;
  for (auto &[key, arrivals] : arrivals_) {
    Vcq *const vcq = by_serial(std::get<0>(key));
    while (!arrivals.ready.empty() && arrivals.ready.begin()->first == arrivals.nnotices) {
      auto &[hold, entry] = arrivals.ready.begin()->second;
      if (hold > 0) {
        hold--;
        break;
      }
      if (entry.code == UTOFU_SUCCESS && vcq) enter_mrq(*vcq, entry);
      arrivals.ready.erase(arrivals.ready.begin());
      arrivals.nnotices++;
      nready_--;
      progress = true;
    }
  }
  for (auto &[serial, vcq] : by_serial_)
    for (auto &[key, stream] : vcq->streams)
      while (!stream.local.empty() && stream.local.front().second) {
        if (shuffled() && random.one_in(3)) break;
        enter_mrq(*vcq, stream.ready.at(stream.local.front().first));
        stream.ready.erase(stream.local.front().first);
        stream.local.pop_front();
        nready_--;
        progress = true;
      }
  return progress;
}

/* ---------------------------------------------------------------------- */

void Process::enter_mrq(Vcq &vcq, const Entry &entry)
{
  ControlQueue &cq = *vcq.cq;
  if (cq.nmrq >= settings.mrq)
    end_process("asynchronous error: MRQ Overflow on TNI " + std::to_string(cq.tni) + " CQ " +
                std::to_string(cq.number));
  vcq.mrq.push_back(entry);
  vcq.nmrq++;
  counts_.notices++;
  cq.most_mrq = std::max(cq.most_mrq, ++cq.nmrq);
}

}    // namespace TOFU_EMULATOR
