// SPDX-License-Identifier: GPL-2.0-only
//
// The header that travels in front of every payload, and the units a slot is made of.
//
// Header and payload go in one put ("message combine", SC'23 paper, sec. 3.5.1), since the receiver
// does not have the number of bytes in advance.

#ifndef TOFU_TRANSPORT_MESSAGE_H
#define TOFU_TRANSPORT_MESSAGE_H

#include <cstddef>
#include <cstdint>

namespace TOFU_NS {

static constexpr std::size_t CACHE_LINE = 64;

/** Purpose of a message.  A message of another kind than the one expected means that two ranks
    disagree about the order of calls, which is always an error. */
enum class MessageKind : std::uint32_t {
  FORWARD = 1,     // owner -> ghost: positions and values that travel with them
  REVERSE = 2,     // ghost -> owner: forces and values that travel with them
  BORDERS = 3,     // owner -> ghost: new ghosts
  EXCHANGE = 4,    // atoms that change owner
  USER = 5,        // unit tests and other codes
  MESH = 6,        // values at mesh points
  WORK = 7         // rows that one rank computes for another, and what belongs to them
};

const char *message_kind_name(MessageKind kind);

/** One cache line in front of the payload of a slot.

    Written by the sender after the payload, `sequence` last; read by the receiver. */
struct alignas(CACHE_LINE) MessageHeader {
  std::uint64_t sequence;    // 1, 2, 3 ... per peer and direction; makes the slot visible
  std::uint64_t nbytes;      // payload bytes in this slot
  std::uint64_t credit;      // # of slots of the opposite direction that the sender has released
  std::uint64_t checksum;    // of the payload; 0 unless verification is on
  MessageKind kind;
  std::uint32_t more;      // 1 = the message goes on in the next slot, 0 = last slot of it
  std::uint32_t landed;    // 1 = the payload is at the places of an offer, not in the slot
};

static_assert(sizeof(MessageHeader) == CACHE_LINE, "the header is one cache line");

/** Round up to whole cache lines. */
constexpr std::size_t round_to_lines(std::size_t nbytes)
{
  return (nbytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

/** FNV-1a over 8-byte words and the tail bytes; 0 is never returned. */
std::uint64_t message_checksum(const std::byte *data, std::size_t nbytes);

}    // namespace TOFU_NS

#endif
