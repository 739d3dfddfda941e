// SPDX-License-Identifier: GPL-2.0-only

#include "mark_neighbors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/mark_neighbors.cpp"
#include "highway_targets.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cassert>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {
  namespace hn = hwy::HWY_NAMESPACE;

  /** Most neighbors are from low to high, where all blocks are marked already: entries are looked
      at one by one only in vectors that have others. */
  void mark_others(const PairRows &rows, int first, int last, int low, int high, int shift,
                   char *marked)
  {
    const hn::CappedTag<std::int32_t, ROW_PADDING> d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const auto mask = hn::Set(d, static_cast<std::int32_t>(NEIGHBOR_MASK));
    const auto lowest = hn::Set(d, low), highest = hn::Set(d, high);
    for (int n = first; n < last; n++) {
      const int owner = rows.atoms[n], nneighbors = rows.nneighbors[owner];
      const int *const row = rows.first[owner];
      marked[owner >> shift] = 1;
      for (int k = 0; k < nneighbors; k += lanes) {
        const auto atoms = hn::And(hn::LoadU(d, row + k), mask);
        const auto outside = hn::Or(hn::Lt(atoms, lowest), hn::Gt(atoms, highest));
        const auto entries = hn::FirstN(d, static_cast<std::size_t>(nneighbors - k));
        if (hn::AllFalse(d, hn::And(outside, entries))) continue;
        const int end = std::min(k + lanes, nneighbors);
        for (int entry = k; entry < end; entry++)
          marked[(static_cast<std::uint32_t>(row[entry]) & NEIGHBOR_MASK) >> shift] = 1;
      }
    }
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

HWY_EXPORT(mark_others);

void mark_neighbors(const PairRows &rows, int first, int last, int block, char *marked)
{
  if (first >= last) return;
  const int low = rows.atoms[first], high = rows.atoms[last - 1];
  const bool whole = high - low == last - first - 1;    // a range without gaps
  int shift = 0;    // a division would take longer than all else
  while (1 << shift < block) shift++;
  assert(1 << shift == block);
  if (whole) std::fill(marked + low / block, marked + high / block + 1, 1);
  HWY_DYNAMIC_DISPATCH(mark_others)
  (rows, first, last, whole ? low : 0, whole ? high : -1, shift, marked);
}

}    // namespace TOFU_NS
#endif
