// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_POOL_ALIGNED_ARRAY_H
#define TOFU_POOL_ALIGNED_ARRAY_H

#include <cstddef>
#include <new>

namespace TOFU_NS {

/** Numbers on a boundary of cache lines.  Grows, never shrinks; growing forgets what was there, and
    new values are not set, so that the thread that uses a page first also gets it. */
template <class T> class AlignedArray {
 public:
  static constexpr std::size_t ALIGNMENT = 64;

  AlignedArray() = default;
  ~AlignedArray() { ::operator delete[](data_, std::align_val_t(ALIGNMENT)); }
  AlignedArray(const AlignedArray &) = delete;
  AlignedArray &operator=(const AlignedArray &) = delete;

  /** Throws std::bad_alloc. */
  T *room(std::size_t n)
  {
    if (n > size_) {
      const std::size_t size = n + n / 4;
      T *const larger =
          static_cast<T *>(::operator new[](size * sizeof(T), std::align_val_t(ALIGNMENT)));
      ::operator delete[](data_, std::align_val_t(ALIGNMENT));
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
