// SPDX-License-Identifier: GPL-2.0-only
//
// Work on items 0 ... n-1 divided among parts.

#ifndef TOFU_BASE_SHARE_H
#define TOFU_BASE_SHARE_H

namespace TOFU_NS {

/** Items that are never divided among parts, so that no cache line of an array is written by two:
    with at least 4 bytes per item. */
constexpr int GRAIN = 16;

/** The share of one of nparts parts in n items, cut at multiples of grain.

    \return   where its share begins; that of part+1 is where it ends. */
inline int begin_of_share(int part, int nparts, int n, int grain = 1)
{
  const long long ngrains = (static_cast<long long>(n) + grain - 1) / grain;
  const long long begin = ngrains * part / nparts * grain;
  return static_cast<int>(begin < n ? begin : n);
}

}    // namespace TOFU_NS

#endif
