// SPDX-License-Identifier: GPL-2.0-only
//
// Channel between two ranks of one node: the sender writes straight into a block that belongs to
// the receiver.

#ifndef TOFU_TRANSPORT_CHANNEL_SHM_H
#define TOFU_TRANSPORT_CHANNEL_SHM_H

#include "shm_segment.h"
#include "transport/channel.h"

#include <memory>

namespace TOFU_NS {

/** The part of a shared block for one direction. */
struct ShmRegion {
  std::shared_ptr<SharedBlock> block;    // kept mapped as long as the channel lives
  std::size_t offset = 0;                // of the region in the block, bytes
  std::size_t capacity = 0;              // payload bytes per slot, multiple of CACHE_LINE
};

/** Bytes that a region of `nslots` slots takes, control line and headers included. */
std::size_t shm_region_bytes(int nslots, std::size_t capacity);

/** A channel over two regions.

    \param outgoing   inside the peer's block; this rank writes slots, the peer reads them
    \param incoming   inside this rank's block; the peer writes slots, this rank reads them */
std::unique_ptr<Channel> make_shm_channel(const ShmRegion &outgoing, const ShmRegion &incoming);

}    // namespace TOFU_NS

#endif
