// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_BASE_PAGE_ALLOCATOR_H
#define TOFU_BASE_PAGE_ALLOCATOR_H

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
#define TOFU_OWN_PAGES
#include <sys/mman.h>
#endif

namespace TOFU_NS {

/** Memory on a boundary of cache lines.  Large blocks have pages of their own, which go back to the
    system with them; malloc would keep most of them.  Those that fill huge pages ask for such.

    \throws std::bad_alloc. */
class OwnPages {
 public:
  static void *get(std::size_t nbytes)
  {
#ifdef TOFU_OWN_PAGES
    if (nbytes >= HUGE_PAGE) return map_huge(whole_pages(nbytes));
    if (nbytes >= LARGE) return map(whole_pages(nbytes));
#endif
    return ::operator new(nbytes, std::align_val_t(CACHE_LINE));
  }

  /** nbytes: as given to get(). */
  static void give_back(void *memory, std::size_t nbytes)
  {
#ifdef TOFU_OWN_PAGES
    if (nbytes >= LARGE) {
      munmap(memory, whole_pages(nbytes));
      return;
    }
#endif
    ::operator delete(memory, std::align_val_t(CACHE_LINE));
  }

 private:
  static constexpr std::size_t CACHE_LINE = 64, HUGE_PAGE = 1 << 21;
  static constexpr std::size_t LARGE = 1 << 17;    // fewer are not worth a call

#ifdef TOFU_OWN_PAGES
  static std::size_t whole_pages(std::size_t nbytes)
  {
    constexpr std::size_t PAGE = 1 << 16;    // a multiple of all sizes of small pages
    return (nbytes + PAGE - 1) / PAGE * PAGE;
  }

  static void *map(std::size_t nbytes)
  {
    void *const pages =
        mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    return pages;
  }

  // on a boundary of huge pages; what is before and behind goes back at once

  static void *map_huge(std::size_t nbytes)
  {
    char *const pages = static_cast<char *>(map(nbytes + HUGE_PAGE));
    const std::size_t before = -reinterpret_cast<std::uintptr_t>(pages) % HUGE_PAGE;
    if (before) munmap(pages, before);
    munmap(pages + before + nbytes, HUGE_PAGE - before);
    (void) madvise(pages + before, nbytes, MADV_HUGEPAGE);    // or small ones
    return pages + before;
  }
#endif
};

/** For vectors of numbers.  Values that are not given are not set. */
template <class T> class PageAllocator {
 public:
  using value_type = T;
  PageAllocator() = default;
  template <class U> PageAllocator(const PageAllocator<U> &) {}

  T *allocate(std::size_t n) { return static_cast<T *>(OwnPages::get(n * sizeof(T))); }
  void deallocate(T *memory, std::size_t n) { OwnPages::give_back(memory, n * sizeof(T)); }

  template <class U> void construct(U *place) { ::new (static_cast<void *>(place)) U; }
  template <class U, class... Values> void construct(U *place, const Values &...values)
  {
    ::new (static_cast<void *>(place)) U(values...);
  }

  template <class U> bool operator==(const PageAllocator<U> &) const { return true; }
  template <class U> bool operator!=(const PageAllocator<U> &) const { return false; }
};

template <class T> using PageVector = std::vector<T, PageAllocator<T>>;

}    // namespace TOFU_NS

#endif
