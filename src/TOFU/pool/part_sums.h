// SPDX-License-Identifier: GPL-2.0-only
//
// Sums over atoms to which several parts add at the same time.  Each part adds to an array of its
// own.  Only the blocks of atoms that a part reaches are reduced, so that the cost of a part grows
// with its surface, not with the whole system.

#ifndef TOFU_POOL_PART_SUMS_H
#define TOFU_POOL_PART_SUMS_H

#include "base/aligned_array.h"
#include "base/share.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace TOFU_NS {

/** Blocks of atoms that each part reaches. */
class PartReach {
 public:
  static constexpr int BLOCK = 16;    // atoms

  /** Clear all blocks. */
  void resize(int nparts, int natoms)
  {
    natoms_ = natoms;
    nblocks_ = (natoms + BLOCK - 1) / BLOCK;
    reached_.resize(nparts);
    for (std::vector<char> &mine : reached_) mine.assign(nblocks_, 0);
    share_begins_.clear();
    for (int share = 0; share <= nparts; share++)
      share_begins_.push_back(TOFU_NS::begin_of_share(share, nparts, nblocks_));
  }

  /** Mark the block of an atom.  Different parts may call it at the same time. */
  void add(int part, int atom) { reached_[part][atom / BLOCK] = 1; }

  /** [nblocks] of a part; 1: it reaches the block.  For many atoms. */
  char *blocks(int part) { return reached_[part].data(); }

  int nparts() const { return static_cast<int>(reached_.size()); }
  int natoms() const { return natoms_; }
  int nblocks() const { return nblocks_; }
  bool has(int part, int block) const { return reached_[part][block]; }

  /** # of blocks that a part reaches. */
  int nblocks_of(int part) const
  {
    return static_cast<int>(std::count(reached_[part].begin(), reached_[part].end(), 1));
  }

  /** Set shares of blocks with equal numbers of terms.  To be called after the last add(). */
  void deal()
  {
    const int nparts = this->nparts();
    long long total = 0, before = 0;
    for (int part = 0; part < nparts; part++) total += nblocks_of(part);
    share_begins_.assign(nparts + 1, nblocks_);
    share_begins_[0] = 0;
    int share = 1;
    for (int block = 0; block < nblocks_ && share < nparts; block++) {
      for (const std::vector<char> &mine : reached_) before += mine[block];
      while (share < nparts && before * nparts >= total * share) share_begins_[share++] = block + 1;
    }
  }

  /** First block of a share, from 0 to nparts(); shares are equal before deal(). */
  int begin_of_share(int share) const { return nblocks_ ? share_begins_[share] : 0; }

  /** Call range(first, last) for the ranges [first, last) of atoms in the blocks that a part
      reaches. */
  template <class Range> void for_ranges(int part, Range &&range) const
  {
    const std::vector<char> &mine = reached_[part];
    for (int block = 0, end; block < nblocks_; block = end + 1) {
      for (end = block; end < nblocks_ && mine[end];) end++;
      if (end > block) range(block * BLOCK, std::min(end * BLOCK, natoms_));
    }
  }

 private:
  int natoms_ = 0, nblocks_ = 0;
  std::vector<std::vector<char>> reached_;    // [nparts][nblocks]
  std::vector<int> share_begins_;             // [nparts+1]
};

/** Some numbers for each atom: `width`, at most MOST_NUMBERS. */
class PartSums {
 public:
  static constexpr int MOST_NUMBERS = 56;

  explicit PartSums(int width) : width_(width) {}

  int width() const { return width_; }

  /** To be called before take(). */
  void resize(int nparts)
  {
    while (static_cast<int>(arrays_.size()) < nparts) arrays_.push_back(std::make_unique<Array>());
  }

  /** [natoms][width] numbers of a part: 0 in the blocks that it reaches.  To be called by the
      thread of the part. */
  double *take(const PartReach &reach, int part)
  {
    const std::size_t nblock = static_cast<std::size_t>(PartReach::BLOCK) * width_,
                      nblocks = reach.nblocks();
    Array &mine = *arrays_[part];
    const double *const before = mine.numbers.data();
    double *const numbers = mine.numbers.room(nblock * nblocks);
    if (mine.is_taken || numbers != before) mine.is_zero.clear();
    if (mine.is_zero.size() < nblocks) mine.is_zero.resize(nblocks, 0);
    mine.is_taken = true;
    for (std::size_t block = 0; block < nblocks; block++) {
      if (!reach.has(part, static_cast<int>(block)) || mine.is_zero[block]) continue;
      std::fill_n(numbers + nblock * block, nblock, 0.0);
      mine.is_zero[block] = 1;
    }
    return numbers;
  }

  /** Reduce a range of blocks, in the order of the parts, and set them to 0.  Different threads may
      reduce different blocks at the same time.

      \param reach         of the parts; they have added nothing elsewhere
      \param first,last    blocks [first, last)
      \param natoms        atoms beyond are left out
      \param add           called with an atom and its [width] sums */
  template <class Add>
  void add_up(const PartReach &reach, int first, int last, int natoms, Add &&add)
  {
    constexpr int BLOCK = PartReach::BLOCK;
    double sums[BLOCK * MOST_NUMBERS];
    for (int block = first; block < last; block++) {
      const int begin = block * BLOCK, n = std::min(BLOCK, natoms - begin);
      if (!sum_block(reach, block, sums)) continue;
      for (int i = 0; i < n; i++) add(begin + i, &sums[static_cast<std::size_t>(i) * width_]);
    }
  }

  /** To be called when all blocks have been reduced.  Without it, after an error, the next take()
      sets blocks to 0. */
  void give_back()
  {
    for (const auto &array : arrays_) array->is_taken = false;
  }

  double memory_usage() const
  {
    double bytes = 0.0;
    for (const auto &array : arrays_) bytes += static_cast<double>(array->numbers.nbytes());
    return bytes;
  }

 private:
  /** A block that was reached is 0 while the array is not taken.  Other blocks are never written,
      so that a part uses memory for the blocks that it reaches only. */
  struct Array {
    AlignedArray<double> numbers;
    std::vector<char> is_zero;    // [nblocks] when it is not taken
    bool is_taken = false;
  };

  // returns whether any part reaches the block

  bool sum_block(const PartReach &reach, int block, double *sums)
  {
    const std::size_t n = static_cast<std::size_t>(PartReach::BLOCK) * width_;
    bool any = false;
    for (int part = 0; part < reach.nparts(); part++) {
      if (!reach.has(part, block)) continue;
      double *const mine = arrays_[part]->numbers.data() + n * block;
      if (any)
        for (std::size_t k = 0; k < n; k++) sums[k] += mine[k];
      else
        std::copy_n(mine, n, sums);
      std::fill_n(mine, n, 0.0);
      any = true;
    }
    return any;
  }

  const int width_;
  std::vector<std::unique_ptr<Array>> arrays_;    // [nparts]
};

}    // namespace TOFU_NS

#endif
