// SPDX-License-Identifier: GPL-2.0-only
//
// A block of memory that several processes of one node map.
//
// POSIX shared memory, readable by the user alone, all pages reserved at creation: a full
// /dev/shm shows as an error here and not as SIGBUS in a later store.  The name is removed as
// soon as every peer has mapped the block, so nothing is left behind however the job ends.

#ifndef TOFU_TRANSPORT_SHM_SEGMENT_H
#define TOFU_TRANSPORT_SHM_SEGMENT_H

#include <cstddef>
#include <memory>
#include <string>

namespace TOFU_NS {

/** A mapped block; unmapped by the destructor. */
class SharedBlock {
 public:
  virtual ~SharedBlock() = default;
  virtual std::byte *data() = 0;    // page aligned, zero filled at creation

  /** Remove the name: nobody can attach any more, mappings stay valid.  Creator only. */
  virtual void unlink() = 0;
};

/** Makes and attaches blocks.  The unit tests have one on the heap, where ranks are threads and a
    data race can be seen by ThreadSanitizer. */
class SharedMemory {
 public:
  virtual ~SharedMemory() = default;

  /** Both return nullptr on failure, with the reason and the remedy in `why`. */
  virtual std::shared_ptr<SharedBlock> create(const std::string &name, std::size_t nbytes,
                                              std::string &why) = 0;
  virtual std::shared_ptr<SharedBlock> attach(const std::string &name, std::size_t nbytes,
                                              std::string &why) = 0;
};

/** The real one. */
std::unique_ptr<SharedMemory> make_posix_shared_memory();

}    // namespace TOFU_NS

#endif
