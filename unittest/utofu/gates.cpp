// SPDX-License-Identifier: GPL-2.0-only

#include "gates.h"

#include "process.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace TOFU_EMULATOR {

namespace {

  constexpr int NWORDS = 10;         // of a sum of doubles
  constexpr int LOWEST_BIT = 320;    // a sum counts 2^-320
  constexpr int COMPONENT_OF_GATES = 255;

  void negate(std::uint64_t words[NWORDS])
  {
    bool carry = true;
    for (int i = 0; i < NWORDS; i++) {
      words[i] = ~words[i] + (carry ? 1 : 0);
      carry = carry && words[i] == 0;
    }
  }

  void add(std::uint64_t sum[NWORDS], const std::uint64_t other[NWORDS])
  {
    bool carry = false;
    for (int i = 0; i < NWORDS; i++) {
      const std::uint64_t before = sum[i];
      sum[i] += other[i] + (carry ? 1 : 0);
      carry = carry ? sum[i] <= before : sum[i] < before;
    }
  }

  bool is_gate(const Id &id)
  {
    return id.component == COMPONENT_OF_GATES && id.cq < NGATES;
  }

  bool same_interface(const Id &a, const Id &b)
  {
    return a.tni == b.tni && std::memcmp(a.coords, b.coords, sizeof(a.coords)) == 0;
  }

}    // namespace

/* ---------------------------------------------------------------------- */

void put_double(std::uint64_t words[10], double value)
{
  std::fill(words, words + NWORDS, 0);
  int exponent;
  const double fraction = std::frexp(std::fabs(value), &exponent);
  auto digits = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  int shift = exponent - 53 + LOWEST_BIT;
  if (shift < 0) {
    digits = shift > -64 ? digits >> -shift : 0;
    shift = 0;
  }
  const int word = std::min(shift / 64, NWORDS - 2);
  words[word] = digits << shift % 64;
  if (shift % 64) words[word + 1] = digits >> (64 - shift % 64);
  if (value < 0.0) negate(words);
}

double get_double(const std::uint64_t words[10])
{
  std::uint64_t magnitude[NWORDS];
  std::copy(words, words + NWORDS, magnitude);
  const bool negative = words[NWORDS - 1] >> 63;
  if (negative) negate(magnitude);
  int top = NWORDS - 1;
  while (top > 0 && magnitude[top] == 0) top--;
  if (magnitude[top] == 0) return 0.0;
  int zeros = 0;
  while (!(magnitude[top] << zeros >> 63)) zeros++;
  std::uint64_t digits = magnitude[top] << zeros;
  const std::uint64_t below = top > 0 ? magnitude[top - 1] : 0;
  if (zeros) digits |= below >> (64 - zeros);
  bool rest = (below << zeros) != 0;
  for (int i = top - 2; i >= 0; i--) rest = rest || magnitude[i] != 0;
  const double value =
      std::ldexp(static_cast<double>(digits | (rest ? 1 : 0)), 64 * top - zeros - LOWEST_BIT);
  return negative ? -value : value;
}

/* ---------------------------------------------------------------------- */

void combine(GateValue &sum, const GateValue &other)
{
  if (sum.op != other.op || sum.n != other.n || sum.is_double != other.is_double) sum.mismatch = 1;
  if (other.mismatch) sum.mismatch = 1;
  if (sum.mismatch) return;
  for (int i = 0; i < sum.n; i++) {
    std::uint64_t &mine = sum.words[i];
    const std::uint64_t theirs = other.words[i];
    switch (sum.op) {
      case UTOFU_REDUCE_OP_BAND:
        mine &= theirs;
        break;
      case UTOFU_REDUCE_OP_BOR:
        mine |= theirs;
        break;
      case UTOFU_REDUCE_OP_BXOR:
        mine ^= theirs;
        break;
      case UTOFU_REDUCE_OP_MAX:
        mine = std::max(mine, theirs);
        break;
      case UTOFU_REDUCE_OP_SUM:
        mine += theirs;
        break;
      case UTOFU_REDUCE_OP_BFPSUM:
        add(sum.words + NWORDS * i, other.words + NWORDS * i);
        break;
      case UTOFU_REDUCE_OP_MAXLOC: {
        if (i % 2) break;
        const std::uint64_t place = sum.words[i + 1], their_place = other.words[i + 1];
        if (theirs > mine || (theirs == mine && their_place < place)) {
          mine = theirs;
          sum.words[i + 1] = their_place;
        }
        break;
      }
      default:
        break;
    }
  }
}

/* ---------------------------------------------------------------------- */

int GateTable::allocate(int tni, std::size_t n, utofu_vbg_id_t ids[])
{
  Job &job = process_.job;
  std::vector<int> taken;
  const auto take = [&](int first, int end) {
    for (int gate = first; gate < end; gate++)
      if (job.take_gate(tni, gate)) {
        taken.push_back(gate);
        return true;
      }
    return false;
  };
  const Settings &settings = process_.settings;
  bool all = take(0, settings.nends);
  for (std::size_t i = 1; all && i < n; i++) all = take(NENDS, NENDS + settings.nrelays);
  if (!all) {
    for (const int gate : taken) job.give_gate(tni, gate);
    return UTOFU_ERR_FULL;
  }
  nallocations_++;
  for (std::size_t i = 0; i < n; i++) {
    Id id{{}, tni, taken[i], COMPONENT_OF_GATES, {}};
    job.coords_of(job.node(), id.coords);
    ids[i] = id.of_node();
    Gate &gate = gates_[ids[i]];
    gate.is_end = i == 0;
    gate.allocation = nallocations_;
  }
  return UTOFU_SUCCESS;
}

/* ---------------------------------------------------------------------- */

int GateTable::release(const utofu_vbg_id_t ids[], std::size_t n)
{
  for (std::size_t i = 0; i < n; i++)
    if (!gates_.count(ids[i])) return UTOFU_ERR_INVALID_VBG_ID;
  std::size_t together = 0;
  for (const auto &[id, gate] : gates_)
    together += gate.allocation == gates_.at(ids[0]).allocation ? 1 : 0;
  if (together != n) return UTOFU_ERR_INVALID_NUMBER;
  for (std::size_t i = 0; i < n; i++) {
    if (gates_.at(ids[i]).running) end_process("utofu_free_vbg() of a circuit that is running");
    Id id;
    Id::unpack(ids[i], id);
    process_.job.give_gate(id.tni, id.cq);
    gates_.erase(ids[i]);
  }
  return UTOFU_SUCCESS;
}

/* ---------------------------------------------------------------------- */

int GateTable::set(const utofu_vbg_setting settings[], std::size_t n)
{
  for (std::size_t i = 0; i < n; i++) {
    const auto found = gates_.find(settings[i].vbg_id);
    if (found == gates_.end()) return UTOFU_ERR_INVALID_VBG_ID;
    if (found->second.is_end != (i == 0)) return UTOFU_ERR_INVALID_ARG;
    if (found->second.allocation != gates_.at(settings[0].vbg_id).allocation)
      return UTOFU_ERR_INVALID_ARG;
    Id own, other;
    Id::unpack(settings[i].vbg_id, own);
    for (const utofu_vbg_id_t id : {settings[i].src_lcl_vbg_id, settings[i].dst_lcl_vbg_id})
      if (id != UTOFU_VBG_ID_NULL &&
          (!Id::unpack(id, other) || !is_gate(other) || !same_interface(own, other)))
        return UTOFU_ERR_INVALID_VBG_ID;
    for (const utofu_vbg_id_t id : {settings[i].src_rmt_vbg_id, settings[i].dst_rmt_vbg_id})
      if (id != UTOFU_VBG_ID_NULL && (!Id::unpack(id, other) || !is_gate(other)))
        return UTOFU_ERR_INVALID_VBG_ID;
  }
  for (std::size_t i = 0; i < n; i++) {
    Gate &gate = gates_.at(settings[i].vbg_id);
    gate.links = settings[i];
    gate.is_set = true;
    gate.nsent = gate.narrived = 0;
    line_up(gate);
  }
  run();
  return UTOFU_SUCCESS;
}

/* ---------------------------------------------------------------------- */

int GateTable::start(utofu_vbg_id_t id, const GateValue &value)
{
  const auto found = gates_.find(id);
  if (found == gates_.end() || !found->second.is_end) return UTOFU_ERR_INVALID_VBG_ID;
  Gate &gate = found->second;
  if (gate.running) return UTOFU_ERR_BUSY;
  if (!gate.is_set) return UTOFU_ERR_NOT_AVAILABLE;
  gate.running = true;
  gate.started = value;
  pass_on(id, gate, value);
  run();
  return UTOFU_SUCCESS;
}

/* ---------------------------------------------------------------------- */

int GateTable::poll(utofu_vbg_id_t id, bool is_double, bool is_barrier, GateValue &result)
{
  const auto found = gates_.find(id);
  if (found == gates_.end() || !found->second.is_end) return UTOFU_ERR_INVALID_VBG_ID;
  Gate &gate = found->second;
  if (!gate.running) return UTOFU_ERR_BUSY;
  const bool signal = gate.links.src_lcl_vbg_id != UTOFU_VBG_ID_NULL;
  const bool packet = gate.links.src_rmt_vbg_id != UTOFU_VBG_ID_NULL;
  if ((signal && gate.signals.empty()) || (packet && gate.packets.empty()))
    return UTOFU_ERR_NOT_COMPLETED;
  if (signal) {
    result = gate.signals.front();
    gate.signals.pop_front();
  }
  if (packet) {
    if (signal)
      combine(result, gate.packets.front());
    else
      result = gate.packets.front();
    gate.packets.pop_front();
  }
  if (!signal && !packet) result = gate.started;
  gate.running = false;
  const bool barrier = result.op == UTOFU_REDUCE_OP_BARRIER;
  if (result.mismatch || barrier != is_barrier || (result.is_double != 0) != is_double ||
      result.op != gate.started.op || result.n != gate.started.n)
    return UTOFU_ERR_BARRIER_MISMATCH;
  return UTOFU_SUCCESS;
}

/* ----------------------------------------------------------------------
   both ends of a link must agree: here, a circuit that does not ends the process
------------------------------------------------------------------------- */

void GateTable::arrive(const Packet &packet)
{
  const auto found = gates_.find(packet.to_gate);
  if (found == gates_.end())
    end_process("a packet for a barrier gate that this process does not have");
  GateValue value;
  std::memcpy(&value, packet.data, sizeof(value));
  found->second.early[packet.sequence] = value;
  if (found->second.is_set && found->second.links.src_rmt_vbg_id != packet.from_gate)
    end_process("a packet from a barrier gate that its target does not expect");
  line_up(found->second);
}

/* ----------------------------------------------------------------------
   packets of one gate stay in order
------------------------------------------------------------------------- */

void GateTable::line_up(Gate &gate)
{
  while (gate.is_set && !gate.early.empty() && gate.early.begin()->first == gate.narrived) {
    if (!gate.packets.empty())
      end_process(
          "a packet of the next operation at a barrier gate that has not used the last one");
    gate.packets.push_back(gate.early.begin()->second);
    gate.early.erase(gate.early.begin());
    gate.narrived++;
    run();
  }
}

/* ---------------------------------------------------------------------- */

void GateTable::pass_on(utofu_vbg_id_t id, Gate &gate, const GateValue &value)
{
  if (gate.links.dst_lcl_vbg_id != UTOFU_VBG_ID_NULL) {
    const auto to = gates_.find(gate.links.dst_lcl_vbg_id);
    if (to == gates_.end() || (to->second.is_set && to->second.links.src_lcl_vbg_id != id))
      end_process("a signal to a barrier gate that does not expect it");
    if (!to->second.signals.empty())
      end_process(
          "a signal of the next operation at a barrier gate that has not used the last one");
    to->second.signals.push_back(value);
  }
  if (gate.links.dst_rmt_vbg_id != UTOFU_VBG_ID_NULL) {
    Id to;
    Id::unpack(gate.links.dst_rmt_vbg_id, to);
    const int node = process_.job.node_at(to.coords);
    const int rank = node < 0 ? -1 : process_.job.owner_of_gate(node, to.tni, to.cq).rank;
    if (rank < 0) end_process("a packet to a barrier gate that nobody has");
    Packet packet{};
    packet.kind = Packet::GATE;
    packet.from = process_.job.rank();
    packet.from_gate = id;
    packet.sequence = gate.nsent++;
    packet.to_gate = to.of_node();
    std::memcpy(packet.data, &value, sizeof(value));
    process_.send_to(rank, packet);
    process_.wake();
  }
}

/* ---------------------------------------------------------------------- */

bool GateTable::work(utofu_vbg_id_t id, Gate &gate)
{
  if (gate.is_end || !gate.is_set) return false;
  const bool signal = gate.links.src_lcl_vbg_id != UTOFU_VBG_ID_NULL;
  const bool packet = gate.links.src_rmt_vbg_id != UTOFU_VBG_ID_NULL;
  if ((signal && gate.signals.empty()) || (packet && gate.packets.empty()) || (!signal && !packet))
    return false;
  GateValue value = signal ? gate.signals.front() : gate.packets.front();
  if (signal && packet) combine(value, gate.packets.front());
  if (signal) gate.signals.pop_front();
  if (packet) gate.packets.pop_front();
  pass_on(id, gate, value);
  return true;
}

void GateTable::run()
{
  bool progress = true;
  while (progress) {
    progress = false;
    for (auto &[id, gate] : gates_)
      if (work(id, gate)) progress = true;
  }
}

/* ---------------------------------------------------------------------- */

std::string GateTable::unfinished() const
{
  std::string text;
  for (const auto &[id, gate] : gates_) {
    if (gate.running) text += "; an operation of a barrier gate has not ended";
    if (!gate.is_set && !gate.early.empty()) text += "; a barrier gate got packets and was not set";
  }
  return text;
}

}    // namespace TOFU_EMULATOR
