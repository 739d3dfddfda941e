// SPDX-License-Identifier: GPL-2.0-only
//
// Rows of four doubles in and out of vectors.
//
// The data of an atom j that a pair kernel needs are in one row: x, y, z and a fourth value.  A row
// is read with one load.  Shuffles turn rows into one vector per column, which is two to three
// times as fast as gathers.  Results are written back to the rows in the same way.
//
// Included once for each instruction set, by way of hwy/foreach_target.h.

#if defined(TOFU_KERNELS_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TOFU_KERNELS_ROWS_INL_H
#undef TOFU_KERNELS_ROWS_INL_H
#else
#define TOFU_KERNELS_ROWS_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {
  namespace hn = hwy::HWY_NAMESPACE;

  template <int NLANES> using DoublesUpTo = hn::CappedTag<double, NLANES>;
  template <int NLANES> using FloatsUpTo = hn::CappedTag<float, NLANES>;

#if !HWY_HAVE_SCALABLE && HWY_TARGET != HWY_SCALAR

  // 2, 4 or 8 pairs of values, of which a vector holds every second one: halves that come from
  // memory to their places leave less to be shuffled

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V row_pairs(D d, const double *rows, const int *index, std::size_t stride, int first)
  {
    if constexpr (hn::MaxLanes(D()) == 2) {
      return hn::LoadU(d, rows + stride * index[first]);
    } else {
      const hn::Half<D> half;
      const int middle = first + static_cast<int>(hn::MaxLanes(D())) / 2;
      return hn::Combine(d, row_pairs(half, rows, index, stride, middle),
                         row_pairs(half, rows, index, stride, first));
    }
  }

  /** numbers[index[k]] for each lane: one load each takes less time than a gather.

      \param index   [lanes] */
  template <class D>
  HWY_INLINE hn::Vec<D> load_numbers(D d, const double *numbers, const int *index)
  {
    if constexpr (hn::MaxLanes(D()) == 1) {
      return hn::LoadU(d, numbers + index[0]);
    } else {
      const hn::Half<D> half;
      return hn::Combine(d, load_numbers(half, numbers, index + hn::MaxLanes(half)),
                         load_numbers(half, numbers, index));
    }
  }

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3

  // Two of 8 rows.  Highway has neither this way to load a half into its place, nor a look-up in
  // two vectors: with both the units for shuffles, the limit of a cheap kernel, have less to do

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V row_part(D, const double *rows, const int *index, std::size_t stride, int k)
  {
    const __m256d lower = _mm256_loadu_pd(rows + stride * index[k]),
                  upper = _mm256_loadu_pd(rows + stride * index[k + 4]);
    return V{_mm512_mask_broadcast_f64x4(_mm512_castpd256_pd512(lower), 0xF0, upper)};
  }

  // of each two blocks of a and of b the lower ones, or the upper ones

  template <class D, class V> HWY_INLINE V lower_blocks(D, V a, V b)
  {
    return V{_mm512_permutex2var_pd(a.raw, _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), b.raw)};
  }

  template <class D, class V> HWY_INLINE V upper_blocks(D, V a, V b)
  {
    return V{_mm512_permutex2var_pd(a.raw, _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15), b.raw)};
  }

#endif

  /** Columns of as many rows as the vector has lanes.

      \param rows    [..][stride], the first four of each row are read
      \param index   [lanes] which rows */
  template <class D, class V>
  HWY_INLINE void load_rows(D d, const double *rows, const int *index, std::size_t stride, V &x,
                            V &y, V &z, V &w)
  {
    if constexpr (hn::MaxLanes(D()) == 2) {
      const double *const first = rows + stride * index[0],
                          *const second = rows + stride * index[1];
      const V xy0 = hn::LoadU(d, first), xy1 = hn::LoadU(d, second);
      const V zw0 = hn::LoadU(d, first + 2), zw1 = hn::LoadU(d, second + 2);
      x = hn::InterleaveLower(d, xy0, xy1);
      y = hn::InterleaveUpper(d, xy0, xy1);
      z = hn::InterleaveLower(d, zw0, zw1);
      w = hn::InterleaveUpper(d, zw0, zw1);
    } else if constexpr (hn::MaxLanes(D()) == 4) {
      const V xy_even = row_pairs(d, rows, index, stride, 0),
              xy_odd = row_pairs(d, rows, index, stride, 1);
      const V zw_even = row_pairs(d, rows + 2, index, stride, 0),
              zw_odd = row_pairs(d, rows + 2, index, stride, 1);
      x = hn::InterleaveLower(d, xy_even, xy_odd);
      y = hn::InterleaveUpper(d, xy_even, xy_odd);
      z = hn::InterleaveLower(d, zw_even, zw_odd);
      w = hn::InterleaveUpper(d, zw_even, zw_odd);
    } else {
      const V a = row_part(d, rows, index, stride, 0), b = row_part(d, rows, index, stride, 1);
      const V c = row_part(d, rows, index, stride, 2), e = row_part(d, rows, index, stride, 3);
      const V xz_ab = hn::InterleaveLower(d, a, b), xz_ce = hn::InterleaveLower(d, c, e);
      const V yw_ab = hn::InterleaveUpper(d, a, b), yw_ce = hn::InterleaveUpper(d, c, e);
      x = lower_blocks(d, xz_ab, xz_ce);
      z = upper_blocks(d, xz_ab, xz_ce);
      y = lower_blocks(d, yw_ab, yw_ce);
      w = upper_blocks(d, yw_ab, yw_ce);
    }
  }

  /** As load_rows(), for the first two values of each row. */
  template <class D, class V>
  HWY_INLINE void load_pairs(D d, const double *rows, const int *index, std::size_t stride, V &x,
                             V &y)
  {
    const V even = row_pairs(d, rows, index, stride, 0), odd = row_pairs(d, rows, index, stride, 1);
    x = hn::InterleaveLower(d, even, odd);
    y = hn::InterleaveUpper(d, even, odd);
  }

  // the first three values of two of 8 rows, also where nothing can be read behind them

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V row_part3(D d, const double *rows, const int *index, int k)
  {
    const hn::Half<D> half;
    const auto three = hn::FirstN(half, 3);
    return hn::Combine(d, hn::MaskedLoad(three, half, rows + std::size_t{3} * index[k + 4]),
                       hn::MaskedLoad(three, half, rows + std::size_t{3} * index[k]));
  }

  /** As load_rows(), for rows of three values.

      \param rows   [..][3] */
  template <class D, class V>
  HWY_INLINE void load_rows3(D d, const double *rows, const int *index, V &x, V &y, V &z)
  {
    if constexpr (hn::MaxLanes(D()) == 2) {
      const double *const first = rows + std::size_t{3} * index[0],
                          *const second = rows + std::size_t{3} * index[1];
      const V xy0 = hn::LoadU(d, first), xy1 = hn::LoadU(d, second);
      const V yz0 = hn::LoadU(d, first + 1), yz1 = hn::LoadU(d, second + 1);
      x = hn::InterleaveLower(d, xy0, xy1);
      y = hn::InterleaveLower(d, yz0, yz1);
      z = hn::InterleaveUpper(d, yz0, yz1);
    } else if constexpr (hn::MaxLanes(D()) == 4) {
      const V xy_even = row_pairs(d, rows, index, 3, 0), xy_odd = row_pairs(d, rows, index, 3, 1);
      const V yz_even = row_pairs(d, rows + 1, index, 3, 0),
              yz_odd = row_pairs(d, rows + 1, index, 3, 1);
      x = hn::InterleaveLower(d, xy_even, xy_odd);
      y = hn::InterleaveUpper(d, xy_even, xy_odd);
      z = hn::InterleaveUpper(d, yz_even, yz_odd);
    } else {
      const V a = row_part3(d, rows, index, 0), b = row_part3(d, rows, index, 1);
      const V c = row_part3(d, rows, index, 2), e = row_part3(d, rows, index, 3);
      const V xz_ab = hn::InterleaveLower(d, a, b), xz_ce = hn::InterleaveLower(d, c, e);
      const V yw_ab = hn::InterleaveUpper(d, a, b), yw_ce = hn::InterleaveUpper(d, c, e);
      x = lower_blocks(d, xz_ab, xz_ce);
      z = upper_blocks(d, xz_ab, xz_ce);
      y = lower_blocks(d, yw_ab, yw_ce);
    }
  }

  // 4, 8 or 16 rows of floats, of which a vector holds one, two, four

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V row_part(D d, const float *rows, const int *index, std::size_t stride, int k)
  {
    if constexpr (hn::MaxLanes(D()) == 4) {
      return hn::LoadU(d, rows + stride * index[k]);
    } else {
      const hn::Half<D> half;
      return hn::Combine(d, row_part(half, rows, index + hn::MaxLanes(D()) / 2, stride, k),
                         row_part(half, rows, index, stride, k));
    }
  }

  /** As load_rows() for doubles. */
  template <class D, class V>
  HWY_INLINE void load_rows(D d, const float *rows, const int *index, std::size_t stride, V &x,
                            V &y, V &z, V &w)
  {
    const hn::Repartition<double, D> pairs;    // to move two floats at a time
    const V a = row_part(d, rows, index, stride, 0), b = row_part(d, rows, index, stride, 1);
    const V c = row_part(d, rows, index, stride, 2), e = row_part(d, rows, index, stride, 3);
    const auto xy_ab = hn::BitCast(pairs, hn::InterleaveLower(d, a, b)),
               xy_ce = hn::BitCast(pairs, hn::InterleaveLower(d, c, e)),
               zw_ab = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b)),
               zw_ce = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
    x = hn::BitCast(d, hn::InterleaveLower(pairs, xy_ab, xy_ce));
    y = hn::BitCast(d, hn::InterleaveUpper(pairs, xy_ab, xy_ce));
    z = hn::BitCast(d, hn::InterleaveLower(pairs, zw_ab, zw_ce));
    w = hn::BitCast(d, hn::InterleaveUpper(pairs, zw_ab, zw_ce));
  }

  /** As load_pairs() for doubles; four values of each row are read. */
  template <class D, class V>
  HWY_INLINE void load_pairs(D d, const float *rows, const int *index, std::size_t stride, V &x,
                             V &y)
  {
    V unused_z, unused_w;
    load_rows(d, rows, index, stride, x, y, unused_z, unused_w);
  }

  enum class RowChange { ADD, SUBTRACT };

  template <RowChange CHANGE, class D, class V>
  HWY_INLINE void change_row(D d, double *row, V value)
  {
    const V old = hn::LoadU(d, row);
    hn::StoreU(CHANGE == RowChange::ADD ? hn::Add(old, value) : hn::Sub(old, value), d, row);
  }

  /** Add columns of doubles to the first four values of rows, or subtract them. */
  template <RowChange CHANGE, class D, class V>
  HWY_INLINE void change_rows(D d, double *rows, const int *index, std::size_t stride, V x, V y,
                              V z, V w)
  {
    const V xy_even = hn::InterleaveLower(d, x, y), xy_odd = hn::InterleaveUpper(d, x, y);
    const V zw_even = hn::InterleaveLower(d, z, w), zw_odd = hn::InterleaveUpper(d, z, w);
    const auto row = [&](int k) {
      return rows + stride * index[k];
    };
    if constexpr (hn::MaxLanes(D()) == 2) {
      change_row<CHANGE>(d, row(0), xy_even);
      change_row<CHANGE>(d, row(0) + 2, zw_even);
      change_row<CHANGE>(d, row(1), xy_odd);
      change_row<CHANGE>(d, row(1) + 2, zw_odd);
    } else if constexpr (hn::MaxLanes(D()) == 4) {
      change_row<CHANGE>(d, row(0), hn::ConcatLowerLower(d, zw_even, xy_even));
      change_row<CHANGE>(d, row(1), hn::ConcatLowerLower(d, zw_odd, xy_odd));
      change_row<CHANGE>(d, row(2), hn::ConcatUpperUpper(d, zw_even, xy_even));
      change_row<CHANGE>(d, row(3), hn::ConcatUpperUpper(d, zw_odd, xy_odd));
    } else {
      const V a = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(zw_even), xy_even);
      const V c = hn::OddEvenBlocks(zw_even, hn::SwapAdjacentBlocks(xy_even));
      const V b = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(zw_odd), xy_odd);
      const V e = hn::OddEvenBlocks(zw_odd, hn::SwapAdjacentBlocks(xy_odd));
      const hn::Half<D> half;
      change_row<CHANGE>(half, row(0), hn::LowerHalf(half, a));
      change_row<CHANGE>(half, row(1), hn::LowerHalf(half, b));
      change_row<CHANGE>(half, row(2), hn::LowerHalf(half, c));
      change_row<CHANGE>(half, row(3), hn::LowerHalf(half, e));
      change_row<CHANGE>(half, row(4), hn::UpperHalf(half, a));
      change_row<CHANGE>(half, row(5), hn::UpperHalf(half, b));
      change_row<CHANGE>(half, row(6), hn::UpperHalf(half, c));
      change_row<CHANGE>(half, row(7), hn::UpperHalf(half, e));
    }
  }

  /** Add columns of doubles to rows.

      \param rows    [..][stride], the first four of each row are changed
      \param index   [lanes] which rows; one may be there more than once */
  template <class D, class V>
  HWY_INLINE void add_to_rows(D d, double *rows, const int *index, std::size_t stride, V x, V y,
                              V z, V w)
  {
    change_rows<RowChange::ADD>(d, rows, index, stride, x, y, z, w);
  }

  /** Subtract rows of floats, of which a vector has one, two or four, from rows of doubles.

      \param index   every fourth one is that of a row */
  template <class D, class V>
  HWY_INLINE void subtract_blocks(D d, double *rows, const int *index, V value)
  {
    (void) d;
    const hn::Half<D> half;
    if constexpr (hn::MaxLanes(D()) > 4) {
      subtract_blocks(half, rows, index, hn::LowerHalf(half, value));
      subtract_blocks(half, rows, index + hn::MaxLanes(half), hn::UpperHalf(half, value));
    } else {
      const DoublesUpTo<4> doubles;
      double *const row = rows + std::size_t{4} * index[0];
      if constexpr (hn::MaxLanes(doubles) == 4) {
        change_row<RowChange::SUBTRACT>(doubles, row, hn::PromoteTo(doubles, value));
      } else {
        change_row<RowChange::SUBTRACT>(doubles, row,
                                        hn::PromoteTo(doubles, hn::LowerHalf(half, value)));
        change_row<RowChange::SUBTRACT>(doubles, row + 2,
                                        hn::PromoteTo(doubles, hn::UpperHalf(half, value)));
      }
    }
  }

  /** As subtract_from_rows(), for columns of floats. */
  template <class D, class V>
  HWY_INLINE void subtract_singles_from_rows(D d, double *rows, const int *index, V x, V y, V z)
  {
    const hn::Repartition<double, D> pairs;    // to move two floats at a time
    const V zero = hn::Zero(d);
    const auto xy_ab = hn::BitCast(pairs, hn::InterleaveLower(d, x, y)),
               xy_ce = hn::BitCast(pairs, hn::InterleaveUpper(d, x, y)),
               z0_ab = hn::BitCast(pairs, hn::InterleaveLower(d, z, zero)),
               z0_ce = hn::BitCast(pairs, hn::InterleaveUpper(d, z, zero));
    const auto subtract = [&](int k, auto row) {
      subtract_blocks(d, rows, index + k, hn::BitCast(d, row));
    };
    subtract(0, hn::InterleaveLower(pairs, xy_ab, z0_ab));
    subtract(1, hn::InterleaveUpper(pairs, xy_ab, z0_ab));
    subtract(2, hn::InterleaveLower(pairs, xy_ce, z0_ce));
    subtract(3, hn::InterleaveUpper(pairs, xy_ce, z0_ce));
  }

  /** Subtract columns, of doubles or floats, from rows; the fourth of each row stays.

      \param rows    [..][4]
      \param index   [lanes] which rows; one may be there more than once */
  template <class D, class V>
  HWY_INLINE void subtract_from_rows(D d, double *rows, const int *index, V x, V y, V z)
  {
    if constexpr (sizeof(hn::TFromD<D>) == sizeof(float))
      subtract_singles_from_rows(d, rows, index, x, y, z);
    else
      change_rows<RowChange::SUBTRACT>(d, rows, index, 4, x, y, z, hn::Zero(d));
  }

#else

  // any number of lanes: column by column through memory

  template <class D, class V, class T = hn::TFromD<D>>
  HWY_INLINE void load_pairs(D d, const T *rows, const int *index, std::size_t stride, V &x, V &y)
  {
    HWY_ALIGN T columns[2][hn::MaxLanes(D())];
    const std::size_t n = hn::Lanes(d);
    for (std::size_t k = 0; k < n; k++)
      for (int column = 0; column < 2; column++)
        columns[column][k] = rows[stride * index[k] + column];
    x = hn::Load(d, columns[0]);
    y = hn::Load(d, columns[1]);
  }

  template <class D, class V, class T = hn::TFromD<D>>
  HWY_INLINE void load_rows(D d, const T *rows, const int *index, std::size_t stride, V &x, V &y,
                            V &z, V &w)
  {
    HWY_ALIGN T columns[4][hn::MaxLanes(D())];
    const std::size_t n = hn::Lanes(d);
    for (std::size_t k = 0; k < n; k++)
      for (int column = 0; column < 4; column++)
        columns[column][k] = rows[stride * index[k] + column];
    x = hn::Load(d, columns[0]);
    y = hn::Load(d, columns[1]);
    z = hn::Load(d, columns[2]);
    w = hn::Load(d, columns[3]);
  }

  template <class D>
  HWY_INLINE hn::Vec<D> load_numbers(D d, const double *numbers, const int *index)
  {
    const hn::Rebind<std::int32_t, D> d32;
    const hn::RebindToSigned<D> d64;
    return hn::GatherIndex(d, numbers, hn::PromoteTo(d64, hn::LoadU(d32, index)));
  }

  template <class D, class V>
  HWY_INLINE void load_rows3(D d, const double *rows, const int *index, V &x, V &y, V &z)
  {
    HWY_ALIGN double columns[3][hn::MaxLanes(D())];
    const std::size_t n = hn::Lanes(d);
    for (std::size_t k = 0; k < n; k++)
      for (int column = 0; column < 3; column++)
        columns[column][k] = rows[std::size_t{3} * index[k] + column];
    x = hn::Load(d, columns[0]);
    y = hn::Load(d, columns[1]);
    z = hn::Load(d, columns[2]);
  }

  template <class D, class V>
  HWY_INLINE void subtract_from_rows(D d, double *rows, const int *index, V x, V y, V z)
  {
    HWY_ALIGN hn::TFromD<D> columns[3][hn::MaxLanes(D())];
    hn::Store(x, d, columns[0]);
    hn::Store(y, d, columns[1]);
    hn::Store(z, d, columns[2]);
    const std::size_t n = hn::Lanes(d);
    for (std::size_t k = 0; k < n; k++)
      for (int column = 0; column < 3; column++)
        rows[std::size_t{4} * index[k] + column] -= columns[column][k];
  }

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

  /** Sum over all lanes, always in the same order. */
  template <class D, class V> HWY_INLINE double sum_of(D d, V v)
  {
    return hn::GetLane(hn::SumOfLanes(d, v));
  }

#if !HWY_HAVE_SCALABLE && HWY_TARGET != HWY_SCALAR

  /** The sum of all blocks of four floats. */
  template <class D, class V> HWY_INLINE hn::Vec<FloatsUpTo<4>> sum_of_blocks(D, V v)
  {
    if constexpr (hn::MaxLanes(D()) <= 4) {
      return v;
    } else {
      const hn::Half<D> half;
      return sum_of_blocks(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
    }
  }

  /** Three such sums of floats, and zero. */
  template <class D, class V> HWY_INLINE hn::Vec<FloatsUpTo<4>> row_of_sums(D d, V x, V y, V z)
  {
    const hn::Repartition<double, D> pairs;    // to move two floats at a time
    const V zero = hn::Zero(d);
    const auto xy =
        hn::BitCast(pairs, hn::Add(hn::InterleaveLower(d, x, y), hn::InterleaveUpper(d, x, y)));
    const auto z0 = hn::BitCast(
        pairs, hn::Add(hn::InterleaveLower(d, z, zero), hn::InterleaveUpper(d, z, zero)));
    return sum_of_blocks(d,
                         hn::Add(hn::BitCast(d, hn::InterleaveLower(pairs, xy, z0)),
                                 hn::BitCast(d, hn::InterleaveUpper(pairs, xy, z0))));
  }

  template <class V> HWY_INLINE void add_row_of_sums(V sums, double *to)
  {
    const FloatsUpTo<2> half;
    const DoublesUpTo<2> two;
    const auto z0 = hn::PromoteTo(two, hn::UpperHalf(half, sums));
    hn::StoreU(hn::Add(hn::LoadU(two, to), hn::PromoteTo(two, hn::LowerHalf(half, sums))), two, to);
    to[2] += hn::GetLane(z0);
  }

#endif

  /** Add three such sums to the values of a row; together they take half as long as one by one.

      \param to   [3] */
  template <class D, class V> HWY_INLINE void add_sums(D d, V x, V y, V z, double *to)
  {
#if !HWY_HAVE_SCALABLE && HWY_TARGET != HWY_SCALAR
    if constexpr (sizeof(hn::TFromD<D>) == sizeof(float)) {
      add_row_of_sums(row_of_sums(d, x, y, z), to);
      return;
    } else if constexpr (hn::MaxLanes(D()) == 8) {
      const hn::Half<D> half;
      const V zero = hn::Zero(d);
      const V xy = hn::Add(hn::InterleaveLower(d, x, y), hn::InterleaveUpper(d, x, y)),
              z0 = hn::Add(hn::InterleaveLower(d, z, zero), hn::InterleaveUpper(d, z, zero));
      const V xyz0 = hn::Add(hn::OddEvenBlocks(hn::SwapAdjacentBlocks(z0), xy),
                             hn::OddEvenBlocks(z0, hn::SwapAdjacentBlocks(xy)));
      const auto sums = hn::Add(hn::LowerHalf(half, xyz0), hn::UpperHalf(half, xyz0));
      const hn::Half<decltype(half)> two;
      hn::StoreU(hn::Add(hn::LoadU(two, to), hn::LowerHalf(two, sums)), two, to);
      to[2] += hn::GetLane(hn::UpperHalf(two, sums));
      return;
    }
#endif
    to[0] += sum_of(d, x);
    to[1] += sum_of(d, y);
    to[2] += sum_of(d, z);
  }

  /** As add_sums() for floats, but where one of the sums is not between -limit and limit, or is not
      a number, nothing is added.

      \return   whether they were added */
  template <class D, class V>
  HWY_INLINE bool add_sums_within(D d, float limit, V x, V y, V z, double *to)
  {
#if !HWY_HAVE_SCALABLE && HWY_TARGET != HWY_SCALAR
    const FloatsUpTo<4> four;
    const auto sums = row_of_sums(d, x, y, z);
    if (!hn::AllTrue(four, hn::Lt(hn::Abs(sums), hn::Set(four, limit)))) return false;
    add_row_of_sums(sums, to);
#else
    const double sums[3] = {sum_of(d, x), sum_of(d, y), sum_of(d, z)};
    for (double sum : sums)
      if (!(sum < limit && sum > -limit)) return false;
    for (int k = 0; k < 3; k++) to[k] += sums[k];
#endif
    return true;
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#endif
