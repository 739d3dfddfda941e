// SPDX-License-Identifier: GPL-2.0-only

#include "cluster_near.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cluster_near.cpp"
#include "highway_targets.h"
#include <hwy/foreach_target.h>

#include "cluster_vectors-inl.h"

#include <cassert>
#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** Coordinates of the owners of a vector. */
  struct OwnerPlaces {
    PairVector x, y, z;
  };

  HWY_INLINE OwnerPlaces places_of(const float *first, std::size_t width)
  {
    return {of_rows(first), of_rows(first + width), of_rows(first + 2 * width)};
  }

  /** Pairs of the owners of a vector. */
  struct NearPairs {
    std::uint32_t near, doubts;
  };

  /** \param HIGHER   without pairs whose owner is higher */
  template <bool HIGHER>
  int near_clusters_of(const ClusterPlaces &places, int owners, const int *candidates, int n,
                       float cutsq, float same_height, ClusterEntry *entries, std::uint32_t *doubts)
  {
    constexpr int NLISTS = OWNERS_OF_CLUSTER / ROWS_OF_VECTOR;
    const PairLanes d;
    const std::size_t width = hn::Lanes(ClusterLanes()),
                      first = static_cast<std::size_t>(OWNERS_OF_CLUSTER) * owners;
    assert(static_cast<int>(width) == places.width);
    const float *const own = places.x + 3 * (first / width * width) + first % width;
    constexpr int second = ROWS_OF_VECTOR, third = NLISTS == 4 ? 2 : 0,
                  fourth = NLISTS == 4 ? 3 : 0;
    const OwnerPlaces a = places_of(own, width), b = places_of(own + second, width),
                      c = places_of(own + third, width), e = places_of(own + fourth, width);
    const auto limit = hn::Set(d, cutsq), same = hn::Set(d, same_height);
    const std::size_t npairs = hn::Lanes(d);
    int nentries = 0;
    for (int k = 0; k < n; k++) {
      const float *const other = places.x + 3 * width * candidates[k];
      const auto x = in_all_rows(other), y = in_all_rows(other + width),
                 z = in_all_rows(other + 2 * width);
      const auto find = [&](const OwnerPlaces &from) HWY_ATTR -> NearPairs {
        const auto dx = hn::Sub(from.x, x), dy = hn::Sub(from.y, y), dz = hn::Sub(from.z, z);
        const auto rsq = hn::MulAdd(dx, dx, hn::MulAdd(dy, dy, hn::Mul(dz, dz)));
        const std::uint32_t near = bits_of_lanes(d, hn::Lt(rsq, limit));
        if constexpr (!HIGHER) return {near, 0};
        const std::uint32_t not_lower = near & bits_of_lanes(d, hn::Le(dz, same));
        return {not_lower, not_lower & bits_of_lanes(d, hn::Ge(dz, hn::Neg(same)))};
      };
      NearPairs all = find(a);
      const auto add = [&](const OwnerPlaces &from, std::size_t shift) HWY_ATTR {
        const NearPairs some = find(from);
        all.near |= some.near << shift;
        all.doubts |= some.doubts << shift;
      };
      add(b, npairs);
      if constexpr (NLISTS == 4) {
        add(c, 2 * npairs);
        add(e, 3 * npairs);
      }
      entries[nentries] = {candidates[k], all.near};
      if constexpr (HIGHER) doubts[nentries] = all.doubts;
      nentries += all.near != 0;
    }
    return nentries;
  }

  int near_clusters_in(const ClusterPlaces &places, int owners, const int *candidates, int n,
                       float cutsq, ClusterEntry *entries)
  {
    return near_clusters_of<false>(places, owners, candidates, n, cutsq, 0.0F, entries, nullptr);
  }

  int near_higher_clusters_in(const ClusterPlaces &places, int owners, const int *candidates, int n,
                              float cutsq, float same_height, ClusterEntry *entries,
                              std::uint32_t *doubts)
  {
    return near_clusters_of<true>(places, owners, candidates, n, cutsq, same_height, entries,
                                  doubts);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

HWY_EXPORT(near_clusters_in);
HWY_EXPORT(near_higher_clusters_in);

int near_clusters(const ClusterPlaces &places, int owners, const int *candidates, int n,
                  float cutsq, ClusterEntry *entries)
{
  return HWY_DYNAMIC_DISPATCH(near_clusters_in)(places, owners, candidates, n, cutsq, entries);
}

int near_higher_clusters(const ClusterPlaces &places, int owners, const int *candidates, int n,
                         float cutsq, float same_height, ClusterEntry *entries,
                         std::uint32_t *doubts)
{
  return HWY_DYNAMIC_DISPATCH(near_higher_clusters_in)(places, owners, candidates, n, cutsq,
                                                       same_height, entries, doubts);
}

}    // namespace TOFU_NS
#endif
