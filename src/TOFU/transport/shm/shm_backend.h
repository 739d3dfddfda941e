// SPDX-License-Identifier: GPL-2.0-only
//
// Backend for ranks of one node: a block of each rank holds the slots that its peers write.

#ifndef TOFU_TRANSPORT_SHM_BACKEND_H
#define TOFU_TRANSPORT_SHM_BACKEND_H

#include "shm_segment.h"
#include "transport/backend.h"

namespace TOFU_NS {

/** Address of a rank's slots for a peer: plain data. */
struct ShmAddress {
  char name[SharedBlock::NAME_BYTES];    // of the rank's block, empty: there is none
  std::uint64_t block_bytes;
  std::uint64_t offset;    // of the peer's slots in the block
};

constexpr std::size_t SHM_ADDRESS_BYTES = sizeof(ShmAddress);

/** With blocks of SharedMemory::Kind ANONYMOUS, which the handshake tries first; with NAMED ones,
    where ranks cannot open each other's descriptors. */
std::unique_ptr<Backend> make_anonymous_shm_backend(const BackendResources &resources);
std::unique_ptr<Backend> make_named_shm_backend(const BackendResources &resources);

}    // namespace TOFU_NS

#endif
