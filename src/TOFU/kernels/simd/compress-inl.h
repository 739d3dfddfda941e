// SPDX-License-Identifier: GPL-2.0-only
//
// Wanted elements of a vector come to its begin.
//
// Highway's Compress() looks its permutations up in a table that is a local variable.  GCC copies
// this table, of up to 1,024 bytes, to the stack in each call.  Where processors have no such
// instruction, the tables here take its place.
//
// Included once for each instruction set, by way of hwy/foreach_target.h.

#if defined(TOFU_KERNELS_COMPRESS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TOFU_KERNELS_COMPRESS_INL_H
#undef TOFU_KERNELS_COMPRESS_INL_H
#else
#define TOFU_KERNELS_COMPRESS_INL_H
#endif

#include "compress_tables.h"

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {
  namespace hn = hwy::HWY_NAMESPACE;

  /** Integers of 32 bits where `wanted` holds, in their order; what is behind them is not
      specified. */
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V compress(D d, V v, [[maybe_unused]] hn::Mask<D> wanted)
  {
    static_assert(sizeof(hn::TFromD<D>) == sizeof(std::int32_t), "tables are for these");
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_NEON
    std::uint8_t set[8];
    hn::StoreMaskBits(d, wanted, set);
    if constexpr (hn::MaxLanes(D()) == 8) {
      const hn::Rebind<std::uint8_t, D> bytes;
      const hn::RebindToUnsigned<D> lanes;
      const auto places = hn::LoadU(bytes, COMPRESS_TABLES.lanes_of_8 + std::size_t{8} * set[0]);
      return hn::TableLookupLanes(v, hn::IndicesFromVec(d, hn::PromoteTo(lanes, places)));
    } else {
      const hn::Repartition<std::uint8_t, D> bytes;
      const unsigned in_vector = set[0] & ((1U << hn::MaxLanes(D())) - 1);
      const auto places =
          hn::LoadU(bytes, COMPRESS_TABLES.bytes_of_4 + std::size_t{16} * in_vector);
      return hn::BitCast(d, hn::TableLookupBytes(hn::BitCast(bytes, v), places));
    }
#else
    (void) d;
    return hn::Compress(v, wanted);
#endif
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#endif
