// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_POOL_ALIGNED_ARRAY_H
#define TOFU_POOL_ALIGNED_ARRAY_H

#include <cstddef>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace TOFU_NS {

/** Memory on a boundary of cache lines.  Large blocks are on a boundary of huge pages, and request
    such pages from the system: the order in which kernels read them makes small pages expensive,
    most of all in virtual machines.

    \throws std::bad_alloc. */
class AlignedMemory {
 public:
  static void *get(std::size_t nbytes)
  {
    void *const memory = ::operator new[](nbytes, alignment(nbytes));
#ifdef MADV_HUGEPAGE
    if (nbytes >= HUGE_PAGE) (void) madvise(memory, nbytes, MADV_HUGEPAGE);    // or small ones
#endif
    return memory;
  }

  /** nbytes: as given to get(). */
  static void give_back(void *memory, std::size_t nbytes)
  {
    ::operator delete[](memory, alignment(nbytes));
  }

 private:
  static constexpr std::size_t CACHE_LINE = 64, HUGE_PAGE = 1 << 21;

  static std::align_val_t alignment(std::size_t nbytes)
  {
    return std::align_val_t(nbytes >= HUGE_PAGE ? HUGE_PAGE : CACHE_LINE);
  }
};

/** Numbers on a boundary of cache lines.  The array grows and never shrinks.  Growing discards the
    old values, and new values are not set, so that a page goes to the thread that uses it first. */
template <class T> class AlignedArray {
 public:
  AlignedArray() = default;
  ~AlignedArray() { AlignedMemory::give_back(data_, nbytes()); }
  AlignedArray(const AlignedArray &) = delete;
  AlignedArray &operator=(const AlignedArray &) = delete;

  /** Throws std::bad_alloc. */
  T *room(std::size_t n) { return room(n, n / 4); }

  /** \param n   numbers that fit then \param spare   further ones, if the array has to grow */
  T *room(std::size_t n, std::size_t spare)
  {
    if (n > size_) {
      const std::size_t size = n + spare;
      T *const larger = static_cast<T *>(AlignedMemory::get(size * sizeof(T)));
      AlignedMemory::give_back(data_, nbytes());
      data_ = larger;
      size_ = size;
    }
    return data_;
  }

  T *data() { return data_; }
  const T *data() const { return data_; }
  std::size_t nbytes() const { return size_ * sizeof(T); }

 private:
  T *data_ = nullptr;
  std::size_t size_ = 0;
};

}    // namespace TOFU_NS

#endif
