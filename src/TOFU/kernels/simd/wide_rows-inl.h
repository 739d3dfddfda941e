// SPDX-License-Identifier: GPL-2.0-only
//
// Vectors added to rows of more than four doubles, four columns at a time; load_rows() reads them.
//
// Included once for each instruction set, by way of hwy/foreach_target.h.

#if defined(TOFU_KERNELS_WIDE_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TOFU_KERNELS_WIDE_ROWS_INL_H
#undef TOFU_KERNELS_WIDE_ROWS_INL_H
#else
#define TOFU_KERNELS_WIDE_ROWS_INL_H
#endif

#include "rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

#if !HWY_HAVE_SCALABLE && HWY_TARGET != HWY_SCALAR

  template <class D, class V> HWY_INLINE void add_to(D d, double *to, V value)
  {
    hn::StoreU(hn::Add(hn::LoadU(d, to), value), d, to);
  }

  /** Add columns to rows.

      \param rows    [..][stride], the first four of each row are changed
      \param index   [lanes] which rows; one may be there more than once */
  template <class D, class V>
  HWY_INLINE void add_to_rows(D d, double *rows, const int *index, std::size_t stride, V x, V y,
                              V z, V w)
  {
    const V xy_even = hn::InterleaveLower(d, x, y), xy_odd = hn::InterleaveUpper(d, x, y);
    const V zw_even = hn::InterleaveLower(d, z, w), zw_odd = hn::InterleaveUpper(d, z, w);
    const auto row = [&](int k) {
      return rows + stride * index[k];
    };
    if constexpr (hn::MaxLanes(D()) == 2) {
      add_to(d, row(0), xy_even);
      add_to(d, row(0) + 2, zw_even);
      add_to(d, row(1), xy_odd);
      add_to(d, row(1) + 2, zw_odd);
    } else if constexpr (hn::MaxLanes(D()) == 4) {
      add_to(d, row(0), hn::ConcatLowerLower(d, zw_even, xy_even));
      add_to(d, row(1), hn::ConcatLowerLower(d, zw_odd, xy_odd));
      add_to(d, row(2), hn::ConcatUpperUpper(d, zw_even, xy_even));
      add_to(d, row(3), hn::ConcatUpperUpper(d, zw_odd, xy_odd));
    } else {
      const V a = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(zw_even), xy_even);
      const V c = hn::OddEvenBlocks(zw_even, hn::SwapAdjacentBlocks(xy_even));
      const V b = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(zw_odd), xy_odd);
      const V e = hn::OddEvenBlocks(zw_odd, hn::SwapAdjacentBlocks(xy_odd));
      const hn::Half<D> half;
      add_to(half, row(0), hn::LowerHalf(half, a));
      add_to(half, row(1), hn::LowerHalf(half, b));
      add_to(half, row(2), hn::LowerHalf(half, c));
      add_to(half, row(3), hn::LowerHalf(half, e));
      add_to(half, row(4), hn::UpperHalf(half, a));
      add_to(half, row(5), hn::UpperHalf(half, b));
      add_to(half, row(6), hn::UpperHalf(half, c));
      add_to(half, row(7), hn::UpperHalf(half, e));
    }
  }

#else

  // any number of lanes: column by column through memory

  template <class D, class V>
  HWY_INLINE void add_to_rows(D d, double *rows, const int *index, std::size_t stride, V x, V y,
                              V z, V w)
  {
    HWY_ALIGN double columns[4][hn::MaxLanes(D())];
    hn::Store(x, d, columns[0]);
    hn::Store(y, d, columns[1]);
    hn::Store(z, d, columns[2]);
    hn::Store(w, d, columns[3]);
    const std::size_t n = hn::Lanes(d);
    for (std::size_t k = 0; k < n; k++)
      for (int column = 0; column < 4; column++)
        rows[stride * index[k] + column] += columns[column][k];
  }

#endif

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#endif
