// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOFU_KERNELS_ROW_ARENA_H
#define TOFU_KERNELS_ROW_ARENA_H

#include "base/aligned_array.h"
#include "pair_data.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace TOFU_NS {

/** Memory for the rows of a list, one after the other; kept from build to build. */
class alignas(128) RowArena {    // that of another thread is not on the same cache line
 public:
  /** Remove all rows.

      \param padding   entries behind the last one of each row from now on */
  void reset(std::size_t padding = ROW_PADDING)
  {
    block_ = fill_ = 0;
    padding_ = padding;
  }

  /** Memory for one row of n entries, and the padding behind them, which is set.

      \param far   atom that is far away from all others */
  int *row(std::size_t n, int far)
  {
    const std::size_t needed = n + padding_;
    while (block_ < blocks_.size() && blocks_[block_].size - fill_ < needed) {
      block_++;
      fill_ = 0;
    }
    if (block_ == blocks_.size()) {
      const std::size_t size = std::max(needed, BLOCK);
      int *const entries = static_cast<int *>(AlignedMemory::get(size * sizeof(int)));
      blocks_.push_back({std::unique_ptr<int[], GiveBack>(entries, {size * sizeof(int)}), size});
    }
    int *const begin = blocks_[block_].entries.get() + fill_;
    std::fill_n(begin + n, padding_, far);
    fill_ += needed;
    return begin;
  }

  /** Return unused memory of the last row.

      \param n   entries of the row; the caller sets the padding behind them */
  void shorten(const int *row, std::size_t n)
  {
    fill_ = row - blocks_[block_].entries.get() + n + padding_;
  }

  double nbytes() const
  {
    std::size_t n = 0;
    for (const Block &block : blocks_) n += block.size;
    return static_cast<double>(n * sizeof(int));
  }

 private:
  static constexpr std::size_t BLOCK = 1 << 19;    // entries; a huge page
  struct GiveBack {
    std::size_t nbytes;
    void operator()(int *memory) const { AlignedMemory::give_back(memory, nbytes); }
  };
  struct Block {
    std::unique_ptr<int[], GiveBack> entries;
    std::size_t size;
  };
  std::vector<Block> blocks_;
  std::size_t block_ = 0, fill_ = 0;    // where the next row begins
  std::size_t padding_ = ROW_PADDING;
};

}    // namespace TOFU_NS

#endif
