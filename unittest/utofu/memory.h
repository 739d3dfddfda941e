// SPDX-License-Identifier: GPL-2.0-only
//
// Memory: what a queue may read and write, by the addresses that the interconnect knows, STADDs.

#ifndef TOFU_EMULATOR_MEMORY_H
#define TOFU_EMULATOR_MEMORY_H

#include "settings.h"

#include <map>

namespace TOFU_EMULATOR {

/** Pages of this process that its children do not get, as the driver has it: 64 KiB as a whole,
    with all that lies there besides. */
class PinnedPages {
 public:
  void add(const void *address, std::size_t nbytes);
  void remove(const void *address, std::size_t nbytes);

 private:
  std::map<std::uintptr_t, int> uses_;    // by page number
};

/** Result of a look-up. */
struct Place {
  enum Finding { FOUND, NO_STADD, TOO_LONG, READ_ONLY };
  Finding finding;
  unsigned char *address;
};

/** The registrations of one queue. */
class Memory {
 public:
  /** \param stag    of the caller, -1: none
      \param used    gets true if the stag is taken
      \return        the STADD; the same for the same memory */
  std::uint64_t add(unsigned char *address, std::size_t nbytes, bool read_only, int stag,
                    std::uint64_t stag_base, Random &random, PinnedPages &pages, bool &used);

  /** \return   false if there is no such registration */
  bool remove(std::uint64_t stadd, PinnedPages &pages);

  /** Where bytes are.

      \param writes   whether they are to be written */
  Place find(std::uint64_t stadd, std::size_t nbytes, bool writes) const;

  std::size_t size() const { return regions_.size(); }

 private:
  struct Region {
    unsigned char *address;
    std::size_t nbytes;
    bool read_only;
    int stag, nuses;
  };

  bool is_free(std::uint64_t base, std::size_t nbytes) const;

  std::map<std::uint64_t, Region> regions_;    // by the STADD of the first byte
};

}    // namespace TOFU_EMULATOR

#endif
