// SPDX-License-Identifier: GPL-2.0-only

#include "find_entries.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/simd/find_entries.cpp"
#include "highway_targets.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {
  namespace hn = hwy::HWY_NAMESPACE;

  /** Entries are looked at one by one in vectors that have a wanted one, which are few. */
  int find_entries(const int *row, int n, const int *wanted, int nwanted, int *places)
  {
    const hn::CappedTag<std::int32_t, 16> d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    int nfound = 0;
    for (int k = 0; k < n; k += lanes) {
      const auto entries = hn::LoadU(d, row + k);
      auto hit = hn::FirstN(d, 0);
      for (int w = 0; w < nwanted; w++) hit = hn::Or(hit, hn::Eq(entries, hn::Set(d, wanted[w])));
      if (hn::AllFalse(d, hit)) continue;
      for (int place = k; place < std::min(k + lanes, n); place++)
        if (std::find(wanted, wanted + nwanted, row[place]) < wanted + nwanted)
          places[nfound++] = place;
    }
    return nfound;
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(int, find_entries, (const int *row, int n, const int *wanted, int nwanted, int *places),
            (row, n, wanted, nwanted, places));

}    // namespace TOFU_NS
#endif
