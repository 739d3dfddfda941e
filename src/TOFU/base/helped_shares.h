// SPDX-License-Identifier: GPL-2.0-only
//
// Shares of items of unknown cost, with work stealing: a part that has finished its own share takes
// items from those of other parts.

#ifndef TOFU_BASE_HELPED_SHARES_H
#define TOFU_BASE_HELPED_SHARES_H

#include "share.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

namespace TOFU_NS {

/** Equal shares of the items 0 to n-1, from which parts take pieces.  Each item is taken once.
    Which part takes it depends on the speed of the parts, and results must not depend on that. */
class HelpedShares {
 public:
  /** \param nparts   shares
      \param n        items
      \param piece    items that a part takes at a time
      \param helped   false: each part takes its own share, in one piece */
  HelpedShares(int nparts, int n, int piece, bool helped = true) :
      piece_(helped ? piece : n), helped_(helped), shares_(nparts)
  {
    for (int part = 0; part < nparts; part++)
      shares_[part].left =
          Left{begin_of_share(part, nparts, n), begin_of_share(part + 1, nparts, n)};
  }

  /** Take the next piece: from the begin of the part's own share, else from the end of the share
      with most items left.  May be called by all parts at the same time.

      \param part    that takes the piece
      \param first   gets the first item
      \param last    gets the item behind the last
      \return        false: nothing is left */
  bool next(int part, int &first, int &last)
  {
    if (take(shares_[part], false, first, last)) return true;
    while (helped_) {
      Share &most = *std::max_element(
          shares_.begin(), shares_.end(),
          [](const Share &one, const Share &other) { return one.count() < other.count(); });
      if (most.count() == 0) return false;
      if (take(most, true, first, last)) return true;
    }
    return false;
  }

 private:
  struct Left {
    int32_t begin, end;
  };
  struct alignas(64) Share {
    std::atomic<Left> left{Left{0, 0}};
    int count() const
    {
      const Left now = left.load(std::memory_order_relaxed);
      return now.end - now.begin;
    }
  };

  bool take(Share &share, bool from_end, int &first, int &last) const
  {
    Left now = share.left.load(std::memory_order_relaxed), then;
    do {
      if (now.begin == now.end) return false;
      const int n = std::min(piece_, now.end - now.begin);
      then = from_end ? Left{now.begin, now.end - n} : Left{now.begin + n, now.end};
    } while (!share.left.compare_exchange_weak(now, then, std::memory_order_relaxed));
    first = from_end ? then.end : now.begin;
    last = from_end ? now.end : then.begin;
    return true;
  }

  const int piece_;
  const bool helped_;
  std::vector<Share> shares_;
};

}    // namespace TOFU_NS

#endif
