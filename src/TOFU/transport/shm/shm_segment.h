// SPDX-License-Identifier: GPL-2.0-only
//
// A block of memory that several processes of one node map.
//
// All pages are reserved at creation: too little memory shows as an error here and not as SIGBUS in
// a later store.  Only processes of the same user can attach, and only to the file that the creator
// has made, whatever others put in its place; nothing waits for a file of another user.
//
// An anonymous block (memfd) is opened through the descriptor of its creator, so that nothing
// remains after the job, however it ends.  A named block is for processes that cannot access each
// other's descriptors (containers, a hidden /proc): it has a name in /dev/shm until every peer has
// mapped it.  A block that remains after a killed job is removed by the next job that makes a named
// block.

#ifndef TOFU_TRANSPORT_SHM_SEGMENT_H
#define TOFU_TRANSPORT_SHM_SEGMENT_H

#include <cstddef>
#include <memory>
#include <string>

namespace TOFU_NS {

/** A mapped block; unmapped by the destructor. */
class SharedBlock {
 public:
  static constexpr std::size_t NAME_BYTES = 96;    // of a name with its end, at most

  virtual ~SharedBlock() = default;
  virtual std::byte *data() = 0;    // page aligned, zero filled at creation

  /** Name by which peers attach, with the identity of the file. */
  virtual const std::string &name() const = 0;

  /** From now on no process can attach; mappings stay valid.  Creator only. */
  virtual void unlink() = 0;
};

/** Makes and attaches blocks.  The unit tests have one on the heap, where ranks are threads and a
    data race can be seen by ThreadSanitizer. */
class SharedMemory {
 public:
  virtual ~SharedMemory() = default;

  enum class Kind { ANONYMOUS, NAMED };

  /** Both return nullptr on failure, with the reason and the remedy in `why`.

      \param kind     how it is found by others
      \param label    of the block, begins with a slash; the name of a named one
      \param nbytes   size of the block
      \param why      gets the reason of a failure */
  virtual std::shared_ptr<SharedBlock> create(Kind kind, const std::string &label,
                                              std::size_t nbytes, std::string &why) = 0;
  virtual std::shared_ptr<SharedBlock> attach(const std::string &name, std::size_t nbytes,
                                              std::string &why) = 0;
};

/** The real one. */
std::unique_ptr<SharedMemory> make_posix_shared_memory();

/** Remove blocks in /dev/shm whose names begin with this and whose creators are gone.

    \return   # of those removed */
int remove_abandoned_blocks(const std::string &begin);

}    // namespace TOFU_NS

#endif
