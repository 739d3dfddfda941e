// SPDX-License-Identifier: GPL-2.0-only
//
// The address that two ranks exchange for the uTofu backend, and the layout of the memory behind
// it: plain data, without the vendor's header.
//
// A peer writes into a region of its own:
//
//   slots    each a header and a payload, in whole lines of the interconnect
//   lines    one each for credit, for signs of life, and for the goodbye
//
// No line has data of two writers, and this rank writes to none of them.

#ifndef TOFU_TRANSPORT_UTOFU_ADDRESS_H
#define TOFU_TRANSPORT_UTOFU_ADDRESS_H

#include "transport/message.h"

#include <algorithm>

namespace TOFU_NS {

struct UtofuAddress {
  std::uint32_t exists;    // 1; 0: this rank has no queue
  std::uint32_t epoch;     // of the queue, goes with every notice
  std::uint64_t queue;     // id of the virtual queue
  std::uint64_t region;    // STADD of the region for this peer
};

/** Unit of ordering and of writing, on the Tofu interconnect D. */
static constexpr std::size_t UTOFU_LINE = 256;

/** Longer messages go in fragments: a put has at most 2^24 - 1 bytes. */
constexpr std::size_t utofu_capacity(std::size_t wanted)
{
  return std::min(wanted, std::size_t(1) << 23);
}

class UtofuRegion {
 public:
  enum Line { CREDIT, LIFE, GOODBYE, NLINES };

  UtofuRegion(int nslots, std::size_t capacity) :
      nslots_(static_cast<std::size_t>(nslots)),
      stride_((CACHE_LINE + capacity + UTOFU_LINE - 1) / UTOFU_LINE * UTOFU_LINE)
  {
  }

  std::size_t slot(int i) const { return static_cast<std::size_t>(i) * stride_; }
  std::size_t line(Line i) const { return nslots_ * stride_ + i * UTOFU_LINE; }
  std::size_t nbytes() const { return line(NLINES); }

  /** What has been written, from the place of its last byte: the number of the slot; behind the
      slots that of the line. */
  bool is_slot(std::size_t at) const { return at < nslots_ * stride_; }
  int slot_at(std::size_t at) const { return static_cast<int>(at / stride_); }
  Line line_at(std::size_t at) const
  {
    return static_cast<Line>((at - nslots_ * stride_) / UTOFU_LINE);
  }

 private:
  std::size_t nslots_, stride_;
};

/** Notices of one peer that may be in the receive queue at the same time, if nobody polls: a
    message in each slot, a credit for each, a sign of life and the goodbye, and two answers to own
    ones. */
constexpr std::size_t utofu_notices(int nslots)
{
  return 2 * static_cast<std::size_t>(nslots) + 4;
}

}    // namespace TOFU_NS

#endif
