// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_BASE_PAGE_ARRAY_H
#define TOFU_BASE_PAGE_ARRAY_H

#include "page_allocator.h"

#include <cstddef>

namespace TOFU_NS {

/** Numbers as those of AlignedArray, whose memory can go back to the system.  Growing discards the
    old values, and new values are not set, so that a page goes to the thread that uses it first. */
template <class T> class PageArray {
 public:
  PageArray() = default;
  ~PageArray() { release(); }
  PageArray(const PageArray &) = delete;
  PageArray &operator=(const PageArray &) = delete;

  /** \throws std::bad_alloc */
  T *room(std::size_t n)
  {
    if (n > size_) {
      release();
      const std::size_t size = n + n / 8;
      data_ = static_cast<T *>(OwnPages::get(size * sizeof(T)));
      size_ = size;
    }
    return data_;
  }

  void release()
  {
    if (data_) OwnPages::give_back(data_, nbytes());
    data_ = nullptr;
    size_ = 0;
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
