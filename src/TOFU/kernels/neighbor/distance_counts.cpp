// SPDX-License-Identifier: GPL-2.0-only
//
// A row comes in pieces: those of its pairs that count anywhere, then their bins, then the counts.

#include "distance_counts.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/neighbor/distance_counts.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "kernels/simd/rows-inl.h"

#include <algorithm>
#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  class DistanceCounter {
   public:
    DistanceCounter(const DistancePairs &pairs, std::int64_t *counts) :
        pairs_(pairs), counts_(counts), selects_(pairs.kinds || !pairs.counts_all_bonds())
    {
    }

    void row(int i)
    {
      if (pairs_.kinds && pairs_.kinds[i] == 0) return;
      const double *const own = pairs_.x + std::size_t{3} * i;
      const int *const entries = pairs_.entries[i];
      for (int begin = 0; begin < pairs_.nentries[i]; begin += PIECE) {
        const int some = std::min(PIECE, pairs_.nentries[i] - begin);
        const int n = selects_ ? select(i, entries + begin, some) : take(entries + begin, some);
        if (n == 0) continue;
        std::fill_n(near_ + n, MOST_LANES, i);    // a last vector may not be full
        find_bins(own, n);
        if (pairs_.kinds)
          for (int k = 0; k < n; k++) counts_[begins_[k] + bins_[k]]++;
        else
          for (int k = 0; k < n; k++) counts_[bins_[k]]++;
      }
    }

   private:
    static constexpr int PIECE = 256;    // pairs; what they need stays in the first cache
    static constexpr int MOST_LANES = 8;

    // Of r / width, far more than what is lost to rounding.
    static constexpr double CLOSE = 1e-14;

    const DistancePairs &pairs_;
    std::int64_t *const counts_;
    const bool selects_;
    int near_[PIECE + MOST_LANES], bins_[PIECE + MOST_LANES];
    std::size_t begins_[PIECE];    // of the counts of a class

    int take(const int *entries, int n)
    {
      for (int k = 0; k < n; k++) near_[k] = entries[k] & pairs_.index_bits;
      return n;
    }

    /** \return   number of pairs that count anywhere */
    int select(int i, const int *entries, int n)
    {
      const int *const classes =
          pairs_.kinds ? pairs_.classes + std::size_t(pairs_.kinds[i]) * pairs_.nkinds : nullptr;
      const std::size_t stride = pairs_.counts_of_class();
      int found = 0;
      for (int k = 0; k < n; k++) {
        const int j = entries[k] & pairs_.index_bits;
        const int of_class = classes ? classes[pairs_.kinds[j]] : 0;
        near_[found] = j;
        begins_[found] = std::max(of_class, 0) * stride;
        found += of_class >= 0 && pairs_.counts_bond[entries[k] >> pairs_.bond_shift & 3];
      }
      return found;
    }

    void find_bins(const double *own, int n)
    {
      const DoublesUpTo<MOST_LANES> d;
      const hn::Rebind<std::int32_t, decltype(d)> d32;
      const int lanes = static_cast<int>(hn::Lanes(d));
      const auto x = hn::Set(d, own[0]), y = hn::Set(d, own[1]), z = hn::Set(d, own[2]);
      const auto per_width = hn::Set(d, pairs_.per_width), close = hn::Set(d, CLOSE);
      const auto most = hn::Set(d, pairs_.nbins);
      const auto end = hn::Set(d32, pairs_.nbins), beyond = hn::Iota(d32, pairs_.nbins);
      for (int k = 0; k < n; k += lanes) {
        auto delx = x, dely = x, delz = x;
        load_rows3(d, pairs_.x, near_ + k, delx, dely, delz);
        delx = hn::Sub(x, delx);
        dely = hn::Sub(y, dely);
        delz = hn::Sub(z, delz);
        const auto rsq = hn::MulAdd(delx, delx, hn::MulAdd(dely, dely, hn::Mul(delz, delz)));
        const auto place = hn::Mul(hn::Sqrt(rsq), per_width);
        const auto at_most = hn::IfThenElse(hn::Lt(place, most), place, most);    // also NaN
        const auto bin = hn::DemoteTo(d32, at_most);
        hn::StoreU(hn::IfThenElse(hn::Lt(bin, end), bin, beyond), d32, bins_ + k);
        const auto border = hn::Abs(hn::Sub(place, hn::Round(place)));
        if (!hn::AllFalse(d, hn::Lt(border, hn::Mul(place, close)))) find_exactly(own, k, lanes);
      }
    }

    HWY_NOINLINE void find_exactly(const double *own, int first, int lanes)
    {
      for (int k = first; k < first + lanes; k++)
        bins_[k] = bin_of_distance(own, pairs_.x + std::size_t{3} * near_[k], pairs_.per_width,
                                   pairs_.nbins);
    }
  };

  void count_distances(const DistancePairs &pairs, int first, int last, std::int64_t *counts)
  {
    DistanceCounter counter(pairs, counts);
    for (int n = first; n < last; n++) counter.row(pairs.atoms[n]);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

// not to be inlined where there are other instructions

HWY_NOINLINE int bin_of_distance(const double *from, const double *to, double per_width, int nbins)
{
  const double delx = from[0] - to[0], dely = from[1] - to[1], delz = from[2] - to[2];
  const double place = std::sqrt(delx * delx + dely * dely + delz * delz) * per_width;
  return place < nbins ? static_cast<int>(place) : nbins;
}

TOFU_EXPORT(void, count_distances,
            (const DistancePairs &pairs, int first, int last, std::int64_t *counts),
            (pairs, first, last, counts));

}    // namespace TOFU_NS
#endif
