// SPDX-License-Identifier: GPL-2.0-only

#include "memory.h"

#include <sys/mman.h>

namespace TOFU_EMULATOR {

// madvise() goes on over holes in the address space, and then reports them

void PinnedPages::add(const void *address, std::size_t nbytes)
{
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (std::uintptr_t page = at / PAGE; page <= (at + nbytes - 1) / PAGE; page++)
    if (uses_[page]++ == 0) madvise(reinterpret_cast<void *>(page * PAGE), PAGE, MADV_DONTFORK);
}

void PinnedPages::remove(const void *address, std::size_t nbytes)
{
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (std::uintptr_t page = at / PAGE; page <= (at + nbytes - 1) / PAGE; page++) {
    if (--uses_[page] > 0) continue;
    uses_.erase(page);
    madvise(reinterpret_cast<void *>(page * PAGE), PAGE, MADV_DOFORK);
  }
}

/* ---------------------------------------------------------------------- */

bool Memory::is_free(std::uint64_t base, std::size_t nbytes) const
{
  auto next = regions_.lower_bound(base);
  if (next != regions_.end() && next->first < base + nbytes + PAGE) return false;
  if (next == regions_.begin()) return true;
  --next;
  return next->first + next->second.nbytes + PAGE <= base;
}

/* ----------------------------------------------------------------------
   an address that nobody can guess, but for the place in its page
------------------------------------------------------------------------- */

std::uint64_t Memory::add(unsigned char *address, std::size_t nbytes, bool read_only, int stag,
                          std::uint64_t stag_base, Random &random, PinnedPages &pages, bool &used)
{
  used = false;
  for (auto &[stadd, region] : regions_) {
    if (stag >= 0 && region.stag == stag) {
      used = true;
      return 0;
    }
    if (stag < 0 && region.stag < 0 && region.address == address && region.nbytes == nbytes &&
        region.read_only == read_only) {
      region.nuses++;
      return stadd;
    }
  }
  std::uint64_t base = stag_base;
  const std::uint64_t in_page = reinterpret_cast<std::uintptr_t>(address) % PAGE;
  while (stag < 0 && (base == stag_base || !is_free(base, nbytes)))
    base = (random.below(std::uint64_t(1) << 32) + 1) * PAGE + in_page;
  regions_[base] = {address, nbytes, read_only, stag, 1};
  pages.add(address, nbytes);
  return base;
}

/* ---------------------------------------------------------------------- */

bool Memory::remove(std::uint64_t stadd, PinnedPages &pages)
{
  const auto found = regions_.find(stadd);
  if (found == regions_.end()) return false;
  if (--found->second.nuses > 0) return true;
  pages.remove(found->second.address, found->second.nbytes);
  regions_.erase(found);
  return true;
}

/* ---------------------------------------------------------------------- */

Place Memory::find(std::uint64_t stadd, std::size_t nbytes, bool writes) const
{
  auto found = regions_.upper_bound(stadd);
  if (found == regions_.begin()) return {Place::NO_STADD, nullptr};
  --found;
  const Region &region = found->second;
  const std::uint64_t offset = stadd - found->first;
  if (offset >= region.nbytes) return {Place::NO_STADD, nullptr};
  if (offset + nbytes > region.nbytes) return {Place::TOO_LONG, nullptr};
  if (writes && region.read_only) return {Place::READ_ONLY, nullptr};
  return {Place::FOUND, region.address + offset};
}

}    // namespace TOFU_EMULATOR
