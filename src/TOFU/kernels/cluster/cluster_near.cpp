// SPDX-License-Identifier: GPL-2.0-only

#include "cluster_near.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cluster/cluster_near.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "cluster_vectors-inl.h"

#include <cassert>
#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

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
    const float *const y = own + width, *const z = y + width;
    const auto x0 = of_rows(own), y0 = of_rows(y), z0 = of_rows(z);
    const auto x1 = of_rows(own + second), y1 = of_rows(y + second), z1 = of_rows(z + second);
    const auto x2 = of_rows(own + third), y2 = of_rows(y + third), z2 = of_rows(z + third);
    const auto x3 = of_rows(own + fourth), y3 = of_rows(y + fourth), z3 = of_rows(z + fourth);
    const auto limit = hn::Set(d, cutsq), same = hn::Set(d, same_height);
    const std::size_t npairs = hn::Lanes(d);
    int nentries = 0;
    for (int k = 0; k < n; k++) {
      const float *const other = places.x + 3 * width * candidates[k];
      const auto xj = in_all_rows(other), yj = in_all_rows(other + width),
                 zj = in_all_rows(other + 2 * width);
      NearPairs all = {0, 0};
      const auto add = [&](PairVector xi, PairVector yi, PairVector zi,
                           std::size_t shift) HWY_ATTR {
        const auto dx = hn::Sub(xi, xj), dy = hn::Sub(yi, yj), dz = hn::Sub(zi, zj);
        const auto rsq = hn::MulAdd(dx, dx, hn::MulAdd(dy, dy, hn::Mul(dz, dz)));
        std::uint32_t near = bits_of_lanes(d, hn::Lt(rsq, limit));
        if constexpr (HIGHER) {
          near &= bits_of_lanes(d, hn::Le(dz, same));
          all.doubts |= (near & bits_of_lanes(d, hn::Ge(dz, hn::Neg(same)))) << shift;
        }
        all.near |= near << shift;
      };
      add(x0, y0, z0, 0);
      add(x1, y1, z1, npairs);
      if constexpr (NLISTS == 4) {
        add(x2, y2, z2, 2 * npairs);
        add(x3, y3, z3, 3 * npairs);
      }
      entries[nentries] = {candidates[k], all.near};
      if constexpr (HIGHER) doubts[nentries] = all.doubts;
      nentries += all.near != 0;
    }
    return nentries;
  }

  int near_clusters(const ClusterPlaces &places, int owners, const int *candidates, int n,
                    float cutsq, ClusterEntry *entries)
  {
    return near_clusters_of<false>(places, owners, candidates, n, cutsq, 0.0F, entries, nullptr);
  }

  int near_higher_clusters(const ClusterPlaces &places, int owners, const int *candidates, int n,
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

TOFU_EXPORT(int, near_clusters,
            (const ClusterPlaces &places, int owners, const int *candidates, int n, float cutsq,
             ClusterEntry *entries),
            (places, owners, candidates, n, cutsq, entries));

TOFU_EXPORT(int, near_higher_clusters,
            (const ClusterPlaces &places, int owners, const int *candidates, int n, float cutsq,
             float same_height, ClusterEntry *entries, std::uint32_t *doubts),
            (places, owners, candidates, n, cutsq, same_height, entries, doubts));

}    // namespace TOFU_NS
#endif
