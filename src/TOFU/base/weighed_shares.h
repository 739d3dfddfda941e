// SPDX-License-Identifier: GPL-2.0-only
//
// Shares of items whose work is known only when it has been found.

#ifndef TOFU_BASE_WEIGHED_SHARES_H
#define TOFU_BASE_WEIGHED_SHARES_H

#include "share.h"

#include <cstddef>
#include <vector>

namespace TOFU_NS {

/** Equal numbers of items at first, then about equal work: within a share each item is taken to
    have as much as the others.  Work is counted, not timed, so that shares are the same every
    time. */
class WeighedShares {
 public:
  /** Equal numbers of items again. */
  void forget() { ends_.clear(); }

  /** As begin_of_share() with GRAIN. */
  int begin(int part, int nparts, int n) const
  {
    if (static_cast<int>(ends_.size()) != nparts + 1) return begin_of_share(part, nparts, n, GRAIN);
    if (part == nparts) return n;
    const int begin = static_cast<int>(ends_[part] * n / GRAIN + 0.5) * GRAIN;
    return begin < n ? begin : n;
  }

  /** Shares for as much work as was found in the present ones.

      \param work   [parts] */
  void weigh(const std::vector<double> &work)
  {
    const std::size_t nparts = work.size();
    double total = 0.0;
    for (double one : work) total += one;
    if (!(total > 0.0)) return;
    const std::vector<double> present = ends_.size() == nparts + 1 ? ends_ : equal(nparts);
    ends_ = present;
    std::size_t share = 0;
    double before = 0.0;    // work of the shares before this one
    for (std::size_t part = 1; part < nparts; part++) {
      const double wanted = total * static_cast<double>(part) / static_cast<double>(nparts);
      while (share + 1 < nparts && before + work[share] < wanted) before += work[share++];
      const double into = work[share] > 0.0 ? (wanted - before) / work[share] : 0.0;
      ends_[part] = present[share] + into * (present[share + 1] - present[share]);
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
