// SPDX-License-Identifier: GPL-2.0-only
//
// Vectors of pairs of clusters: all atoms of one cluster with an owner in another, or, with
// AVX-512, with two owners, which are the rows of the vector.
//
// Included once for each instruction set, by way of hwy/foreach_target.h.

#if defined(TOFU_KERNELS_CLUSTER_VECTORS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TOFU_KERNELS_CLUSTER_VECTORS_INL_H
#undef TOFU_KERNELS_CLUSTER_VECTORS_INL_H
#else
#define TOFU_KERNELS_CLUSTER_VECTORS_INL_H
#endif

#include "kernels/simd/rows-inl.h"

#include "cluster_entry.h"

#include <cstddef>
#include <cstdint>

#ifndef TOFU_KERNELS_CLUSTER_VECTORS_ONCE
#define TOFU_KERNELS_CLUSTER_VECTORS_ONCE
namespace TOFU_NS {

/** Numbers whose bits are all set where one bit of another number is. */
template <int WIDTH> struct ClusterMasks {
  static constexpr unsigned N = 1U << WIDTH;
  std::uint32_t lanes[N * WIDTH];

  ClusterMasks()
  {
    for (unsigned bits = 0; bits < N; bits++)
      for (unsigned k = 0; k < WIDTH; k++) lanes[bits * WIDTH + k] = bits >> k & 1 ? ~0U : 0U;
  }

  static const float *floats()
  {
    alignas(64) static const ClusterMasks masks;
    return reinterpret_cast<const float *>(masks.lanes);
  }
};

}    // namespace TOFU_NS
#endif

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  using ClusterLanes = FloatsUpTo<MOST_CLUSTER_WIDTH>;    // of one row

  /** Lanes of a mask, as bits in 32.  Highway may read and write eight bytes. */
  template <class D, class Mask> HWY_INLINE std::uint32_t bits_of_lanes(D d, Mask mask)
  {
    std::uint64_t bits = 0;
    hn::StoreMaskBits(d, mask, reinterpret_cast<std::uint8_t *>(&bits));
    return static_cast<std::uint32_t>(bits) & ((1U << hn::Lanes(d)) - 1);
  }

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3

  constexpr int ROWS_OF_VECTOR = 2;
  using PairLanes = hn::FixedTag<float, 2 * MOST_CLUSTER_WIDTH>;
  using PairVector = hn::Vec<PairLanes>;

  /** Values of a cluster, the same in each row: by one load, where Highway has two. */
  HWY_INLINE PairVector in_all_rows(const float *values)
  {
    return PairVector{_mm512_broadcast_f32x8(_mm256_load_ps(values))};
  }

  /** One value of each row in all of its lanes. */
  HWY_INLINE PairVector of_rows(const float *values)
  {
    const ClusterLanes row;
    return hn::Combine(PairLanes(), hn::Set(row, values[1]), hn::Set(row, values[0]));
  }

  /** Add the sums over lanes of each row. */
  HWY_INLINE void add_to_rows(PairVector v, float *values)
  {
    const ClusterLanes row;
    values[0] += hn::GetLane(hn::SumOfLanes(row, hn::LowerHalf(row, v)));
    values[1] += hn::GetLane(hn::SumOfLanes(row, hn::UpperHalf(row, v)));
  }

  /** Indices of a table for TableLookupLanes(): that of the second row is behind that of the first.

      \param indices   of a cluster, below MOST_CLUSTER_WIDTH */
  HWY_INLINE auto table_indices(const std::int32_t *indices)
  {
    const hn::RebindToSigned<PairLanes> d;
    const hn::Vec<decltype(d)> same{
        _mm512_broadcast_i32x8(_mm256_load_si256(reinterpret_cast<const __m256i *>(indices)))};
    const __m512i offset =
        _mm512_inserti32x8(_mm512_setzero_si512(), _mm256_set1_epi32(MOST_CLUSTER_WIDTH), 1);
    return hn::IndicesFromVec(PairLanes(), hn::Or(same, hn::Vec<decltype(d)>{offset}));
  }

  HWY_INLINE const float *lane_masks()
  {
    return nullptr;
  }

  /** 0 in lanes whose bit is 0.

      \param masks   lane_masks() */
  HWY_INLINE PairVector only(std::uint32_t bits, PairVector v, const float * /*masks*/)
  {
    return PairVector{_mm512_maskz_mov_ps(static_cast<__mmask16>(bits), v.raw)};
  }

#else

  constexpr int ROWS_OF_VECTOR = 1;
  using PairLanes = ClusterLanes;
  using PairVector = hn::Vec<PairLanes>;

  HWY_INLINE PairVector in_all_rows(const float *values)
  {
    return hn::Load(PairLanes(), values);
  }

  HWY_INLINE PairVector of_rows(const float *values)
  {
    return hn::Set(PairLanes(), values[0]);
  }

  HWY_INLINE void add_to_rows(PairVector v, float *values)
  {
    values[0] += hn::GetLane(hn::SumOfLanes(PairLanes(), v));
  }

  HWY_INLINE auto table_indices(const std::int32_t *indices)
  {
    return hn::SetTableIndices(PairLanes(), indices);
  }

  /** A table takes fewer instructions than to make a mask of bits. */
  HWY_INLINE const float *lane_masks()
  {
    return hn::Lanes(PairLanes()) == 8 ? ClusterMasks<8>::floats() : ClusterMasks<4>::floats();
  }

  HWY_INLINE PairVector only(std::uint32_t bits, PairVector v, const float *masks)
  {
    const PairLanes d;
    return hn::And(v, hn::Load(d, masks + hn::Lanes(d) * bits));
  }

#endif

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#endif
