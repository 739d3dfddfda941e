// SPDX-License-Identifier: GPL-2.0-only
//
// Shares of items by their cost, which may be known only after the work.

#ifndef TOFU_BASE_WEIGHED_SHARES_H
#define TOFU_BASE_WEIGHED_SHARES_H

#include "share.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace TOFU_NS {

/** Shares of items with equal cost; before a cost is given, with equal numbers of items.  Cost is
    counted, not timed, so that shares are reproducible. */
class WeighedShares {
 public:
  /** Equal numbers of items again. */
  void forget() { ends_.clear(); }

  /** As begin_of_share() with GRAIN. */
  int begin(int part, int nparts, int n) const
  {
    if (static_cast<int>(ends_.size()) != nparts + 1) return begin_of_share(part, nparts, n, GRAIN);
    if (part == nparts) return n;
    const int ngrains = (n + GRAIN - 1) / GRAIN,
              begin = static_cast<int>(ends_[part] * ngrains + 0.5) * GRAIN;
    return begin < n ? begin : n;
  }

  /** Set shares of equal cost, from the cost of each grain.

      \param work     [grains] cost of GRAIN items, fewer in the last
      \param nparts   shares */
  void deal(const std::vector<int> &work, int nparts)
  {
    long long total = 0, before = 0;
    for (int one : work) total += one;
    ends_.assign(nparts + 1, 1.0);
    ends_[0] = 0.0;
    int part = 1;
    for (std::size_t grain = 0; grain < work.size() && part < nparts; grain++) {
      before += work[grain];
      for (; part < nparts && before * nparts >= total * part; part++)
        ends_[part] = static_cast<double>(grain + 1) / static_cast<double>(work.size());
    }
  }

  /** Set shares of equal cost, from the measured cost of each present share.  All items of a share
      are assumed to cost the same.

      \param work   [parts] measured cost */
  void set_from_cost(const std::vector<double> &work)
  {
    const std::size_t nparts = work.size();
    double total = 0.0;
    for (double one : work) total += one;
    if (!(total > 0.0)) return;
    const std::vector<double> present = ends_.size() == nparts + 1 ? ends_ : equal(nparts);
    ends_ = present;
    std::size_t share = 0;
    double before = 0.0;    // cost of the shares before this one
    for (std::size_t part = 1; part < nparts; part++) {
      const double wanted = total * static_cast<double>(part) / static_cast<double>(nparts);
      while (share + 1 < nparts && before + work[share] < wanted) before += work[share++];
      const double into = work[share] > 0.0 ? (wanted - before) / work[share] : 0.0;
      const double end = present[share] + into * (present[share + 1] - present[share]);
      ends_[part] = std::clamp(end, ends_[part - 1], 1.0);
    }
  }

 private:
  std::vector<double> ends_;    // [parts+1] 0 to 1, where shares begin; none: all equal

  static std::vector<double> equal(std::size_t nparts)
  {
    std::vector<double> ends;
    for (std::size_t part = 0; part <= nparts; part++)
      ends.push_back(static_cast<double>(part) / static_cast<double>(nparts));
    return ends;
  }
};

}    // namespace TOFU_NS

#endif
