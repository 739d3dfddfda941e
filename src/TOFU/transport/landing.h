// SPDX-License-Identifier: GPL-2.0-only
//
// Arrays of the caller that messages are read from and written to without a copy.  The caller owns
// the memory, and registers it again after it has moved.
//
//   source    read by the transport from Link::append_in_place() to Transport::settle()
//   landing   written by a peer: one message at the places of one offer of this rank.  Read by this
//             rank after the wait for that message, whose notice makes it visible.  From the offer
//             to that wait the content of the places is undefined
//
// SC'23 paper, sec. 3.4 and Figure 9: there the receiver sends the offset after borders, and the
// order of LAMMPS' calls allows the sender to overwrite.

#ifndef TOFU_TRANSPORT_LANDING_H
#define TOFU_TRANSPORT_LANDING_H

#include <cstddef>
#include <cstdint>

namespace TOFU_NS {

struct ArrayMemory {
  const void *data = nullptr;
  std::size_t nbytes = 0;

  bool operator==(const ArrayMemory &other) const
  {
    return data == other.data && nbytes == other.nbytes;
  }
  bool contains(const void *first, std::size_t n) const
  {
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    const auto at = reinterpret_cast<std::uintptr_t>(first);
    return at >= begin && at - begin + n <= nbytes;
  }
};

/** An offer: the places that one message may fill, one after the other.  Plain data that travels
    from the receiver to the sender. */
struct Landing {
  static constexpr int MAX_PLACES = 4;

  struct Place {
    std::uint64_t address;    // in the form of the sender's network
    std::uint64_t nbytes;
  };

  std::uint64_t key = 0;
  std::uint64_t nplaces = 0;    // 0: the message has to come to a slot
  Place places[MAX_PLACES] = {};
};

/** Several pieces of the receiver's memory that make one offer. */
struct ArrayPieces {
  int npieces = 0;
  ArrayMemory pieces[Landing::MAX_PLACES];
};

}    // namespace TOFU_NS

#endif
