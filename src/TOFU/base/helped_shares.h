// SPDX-License-Identifier: GPL-2.0-only
//
// Shares of items whose work is not known before: parts that have done theirs help others.

#ifndef TOFU_BASE_HELPED_SHARES_H
#define TOFU_BASE_HELPED_SHARES_H

#include "share.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

namespace TOFU_NS {

/** Equal shares of the items 0 to n-1, from which parts take pieces.  Each item is given out once;
    to which part depends on their speed, and results must not depend on that. */
class HelpedShares {
 public:
  /** \param nparts   shares
      \param n        items
      \param piece    items at a time, but for the last
      \param helped   false: parts do their own shares alone */
  HelpedShares(int nparts, int n, int piece, bool helped = true) :
      n_(n), piece_(piece), helped_(helped), shares_(nparts)
  {
    const int npieces = (n + piece - 1) / piece;
    for (int part = 0; part < nparts; part++)
      shares_[part].left = Left{static_cast<uint32_t>(begin_of_share(part, nparts, npieces)),
                                static_cast<uint32_t>(begin_of_share(part + 1, nparts, npieces))};
  }

  /** The next piece: the first one of the part's own share, else the last one of that with most
      left.  May be called by all parts at the same time.

      \param part    that asks
      \param first   where the piece begins
      \param last    item behind it
      \return        false: nothing is left */
  bool next(int part, int &first, int &last)
  {
    uint32_t piece;
    if (!take(shares_[part], false, piece)) {
      if (!helped_) return false;
      Share *most;
      do {
        most = &*std::max_element(
            shares_.begin(), shares_.end(),
            [](const Share &one, const Share &other) { return one.count() < other.count(); });
        if (most->count() == 0) return false;
      } while (!take(*most, true, piece));
    }
    first = static_cast<int>(piece) * piece_;
    last = std::min(n_, first + piece_);
    return true;
  }

 private:
  struct Left {
    uint32_t begin, end;    // pieces
  };
  struct alignas(64) Share {
    std::atomic<Left> left{Left{0, 0}};
    uint32_t count() const
    {
      const Left now = left.load(std::memory_order_relaxed);
      return now.end - now.begin;
    }
  };

  static bool take(Share &share, bool from_end, uint32_t &piece)
  {
    Left now = share.left.load(std::memory_order_relaxed), then;
    do {
      if (now.begin == now.end) return false;
      then = from_end ? Left{now.begin, now.end - 1} : Left{now.begin + 1, now.end};
    } while (!share.left.compare_exchange_weak(now, then, std::memory_order_relaxed));
    piece = from_end ? then.end : now.begin;
    return true;
  }

  const int n_, piece_;
  const bool helped_;
  std::vector<Share> shares_;
};

}    // namespace TOFU_NS

#endif
