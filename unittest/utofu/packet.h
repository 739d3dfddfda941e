// SPDX-License-Identifier: GPL-2.0-only
//
// Packet: what travels from the interfaces of one process to those of another.

#ifndef TOFU_EMULATOR_PACKET_H
#define TOFU_EMULATOR_PACKET_H

#include "settings.h"

namespace TOFU_EMULATOR {

constexpr std::uint64_t NONE = ~std::uint64_t(0);

/** Plain data in shared memory.  What concerns an order is in each of its packets. */
struct Packet {
  enum Kind : std::uint8_t {
    PIECE,      // bytes of a put within one line of the target
    ARMW,       // atomic operation
    FETCH,      // request of a get
    FETCHED,    // its bytes
    NOTHING,    // of an order that has failed where it was posted
    ANSWER,     // to the sender: done, or a code
    GATE        // of a barrier gate
  };

  Kind kind;
  std::uint8_t path;
  std::uint8_t is_last;    // no other piece of the order ends behind it
  std::uint8_t edata;
  std::int32_t from;            // rank of the sender
  std::uint64_t from_vcq;       // id with the path to its node
  std::uint64_t from_serial;    // of that queue: ids are used again
  std::uint64_t to_vcq, to_serial;
  std::uint64_t flags;
  std::uint64_t sequence;         // of the order in its stream, from 0
  std::uint64_t npieces;          // of the order
  std::uint64_t ordinal;          // of its remote notice in the stream; NONE: it has none
  std::uint64_t number;           // of the order at the sender
  std::uint64_t stadd;            // of these bytes
  std::uint64_t begin, length;    // of all bytes of the order
  std::int32_t code;              // ANSWER
  std::uint32_t nbytes;
  std::uint32_t op;          // ARMW: its operation, CSWAP = 0
  std::uint32_t width;       // bytes of its operand
  std::uint64_t value[2];    // operand, and what a cswap compares with; old value in an answer
  std::uint64_t from_gate, to_gate;
  std::uint64_t due;    // step of the receiver before which it is not looked at
  unsigned char data[LINE];
};

}    // namespace TOFU_EMULATOR

#endif
