// SPDX-License-Identifier: GPL-2.0-only

#include "plane_waves.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/ewald/plane_waves.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {
  namespace hn = hwy::HWY_NAMESPACE;

  using D = hn::CappedTag<double, 8>;
  using V = hn::Vec<D>;

  // with 32 registers two vectors of atoms share the coefficients of a mode, and two modes the
  // products of a row

#if HWY_TARGET == HWY_SSE2 || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_AVX2
  constexpr bool MANY_REGISTERS = false;
#else
  constexpr bool MANY_REGISTERS = HWY_TARGET != HWY_SCALAR;
#endif

  constexpr double LARGEST_PHASE = 30000.0;    // within the range of Highway's sine and cosine

  /** Cosine and sine of a vector of phases, to the last digits also far from the origin. */
  HWY_INLINE void store_first_multiple(D d, const double *phase, double *cosine, double *sine)
  {
    const V p = hn::LoadU(d, phase);
    if (hn::AllTrue(d, hn::Lt(hn::Abs(p), hn::Set(d, LARGEST_PHASE)))) {
      hn::StoreU(hn::Cos(d, p), d, cosine);
      hn::StoreU(hn::Sin(d, p), d, sine);
    } else {
      for (std::size_t i = 0; i < hn::Lanes(d); i++) {
        cosine[i] = std::cos(phase[i]);
        sine[i] = std::sin(phase[i]);
      }
    }
  }

  /** Multiples 1 to n of a vector of phases; the first is in place. */
  HWY_INLINE void store_multiples(D d, double *cosine, std::size_t stride, int n)
  {
    const V c1 = hn::LoadU(d, cosine), s1 = hn::LoadU(d, cosine + stride);
    V c = c1, s = s1;
    for (int k = 2; k <= n; k++) {
      cosine += 2 * stride;
      const V next = hn::NegMulAdd(s, s1, hn::Mul(c, c1));
      s = hn::MulAdd(s, c1, hn::Mul(c, s1));
      c = next;
      hn::StoreU(c, d, cosine);
      hn::StoreU(s, d, cosine + stride);
    }
  }

  void fill_wave_phases(const WavePhases &phases, const double *x, int natoms,
                        const double (*unit)[3], int first, int last)
  {
    const D d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    HWY_ALIGN double phase[WAVE_GROUP];
    for (int group = first; group < last; group++) {
      const int begin = group * WAVE_GROUP, n = std::min(WAVE_GROUP, natoms - begin);
      for (int dim = 0; dim < 3; dim++) {
        if (phases.n[dim] == 0) continue;
        const double *const u = unit[dim];
        for (int i = 0; i < WAVE_GROUP; i++) {
          const double *const at = x + 3 * static_cast<std::size_t>(begin + i);
          phase[i] = i < n ? u[0] * at[0] + u[1] * at[1] + u[2] * at[2] : 0.0;
        }
        double *const cosine = phases.cosine(dim, 1) + begin;
        for (int i = 0; i < WAVE_GROUP; i += lanes) {
          store_first_multiple(d, phase + i, cosine + i, cosine + phases.stride + i);
          store_multiples(d, cosine + i, phases.stride, phases.n[dim]);
        }
      }
    }
  }

  // ---- sums over atoms

  /** Add the sums over lanes of four vectors to four numbers. */
  template <class Tag, class Vector>
  HWY_INLINE void add_four(Tag d, Vector v0, Vector v1, Vector v2, Vector v3, double *sums)
  {
#if HWY_HAVE_SCALABLE || HWY_TARGET == HWY_SCALAR
    sums[0] += hn::GetLane(hn::SumOfLanes(d, v0));
    sums[1] += hn::GetLane(hn::SumOfLanes(d, v1));
    sums[2] += hn::GetLane(hn::SumOfLanes(d, v2));
    sums[3] += hn::GetLane(hn::SumOfLanes(d, v3));
#else
    if constexpr (hn::MaxLanes(Tag()) == 8) {
      const hn::Half<Tag> half;
      const auto halved = [&](Vector v) {
        return hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v));
      };
      add_four(half, halved(v0), halved(v1), halved(v2), halved(v3), sums);
    } else {
      const Vector v01 = hn::Add(hn::InterleaveLower(d, v0, v1), hn::InterleaveUpper(d, v0, v1)),
                   v23 = hn::Add(hn::InterleaveLower(d, v2, v3), hn::InterleaveUpper(d, v2, v3));
      if constexpr (hn::MaxLanes(Tag()) == 4) {
        const Vector all =
            hn::Add(hn::ConcatLowerLower(d, v23, v01), hn::ConcatUpperUpper(d, v23, v01));
        hn::StoreU(hn::Add(hn::LoadU(d, sums), all), d, sums);
      } else {
        hn::StoreU(hn::Add(hn::LoadU(d, sums), v01), d, sums);
        hn::StoreU(hn::Add(hn::LoadU(d, sums + 2), v23), d, sums + 2);
      }
    }
#endif
  }

  /** The same for eight. */
  HWY_INLINE void add_eight(D d, V v0, V v1, V v2, V v3, V v4, V v5, V v6, V v7, double *sums)
  {
#if !HWY_HAVE_SCALABLE && HWY_TARGET != HWY_SCALAR
    if constexpr (hn::MaxLanes(D()) == 8) {
      const V v01 = hn::Add(hn::InterleaveLower(d, v0, v1), hn::InterleaveUpper(d, v0, v1)),
              v23 = hn::Add(hn::InterleaveLower(d, v2, v3), hn::InterleaveUpper(d, v2, v3)),
              v45 = hn::Add(hn::InterleaveLower(d, v4, v5), hn::InterleaveUpper(d, v4, v5)),
              v67 = hn::Add(hn::InterleaveLower(d, v6, v7), hn::InterleaveUpper(d, v6, v7));
      const V a = hn::Add(hn::ConcatLowerLower(d, v45, v01), hn::ConcatUpperUpper(d, v45, v01)),
              b = hn::Add(hn::ConcatLowerLower(d, v67, v23), hn::ConcatUpperUpper(d, v67, v23));
      const V all = hn::Add(hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a),
                            hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a)));
      hn::StoreU(hn::Add(hn::LoadU(d, sums), all), d, sums);
      return;
    }
#endif
    add_four(d, v0, v1, v2, v3, sums);
    add_four(d, v4, v5, v6, v7, sums + 4);
  }

  constexpr int MOST_ATOMS = 512;    // whose products of a row stay in the cache

  /** Charge times products of k a and l b, for some atoms and one row. */
  struct RowProducts {
    const double *at[4];    // [n] at 2*first + second; those with sines of 0 are not there
    int n;
  };

  /** Add what the lanes of vectors have to the sums of a mode. */
  template <bool K, bool L>
  HWY_INLINE void add_to_mode(D d, V c0, V s0, V c1, V s1, V c2, V s2, V c3, V s3, double *sums)
  {
    if constexpr (K && L) {
      add_eight(d, c0, s0, c1, s1, c2, s2, c3, s3, sums);
    } else if constexpr (K) {
      double four[4] = {};
      add_four(d, c0, s0, c2, s2, four);
      sums[0] += four[0];
      sums[1] += four[1];
      sums[4] += four[2];
      sums[5] += four[3];
    } else {
      add_four(d, c0, s0, c1, s1, sums);
    }
  }

  HWY_INLINE void add_product(V product, V cosine, V sine, V &c, V &s)
  {
    c = hn::MulAdd(product, cosine, c);
    s = hn::MulAdd(product, sine, s);
  }

  /** The sums of a mode with m > 0.

      \param wave   cosines of m c; sines are a stride behind them */
  template <bool K, bool L>
  HWY_INLINE void add_mode(D d, const RowProducts &products, const double *wave, std::size_t stride,
                           double *sums)
  {
    const int lanes = static_cast<int>(hn::Lanes(d));
    V c0 = hn::Zero(d), s0 = c0, c1 = c0, s1 = c0, c2 = c0, s2 = c0, c3 = c0, s3 = c0;
    for (int i = 0; i < products.n; i += lanes) {
      const V c = hn::LoadU(d, wave + i), s = hn::LoadU(d, wave + stride + i);
      add_product(hn::LoadU(d, products.at[0] + i), c, s, c0, s0);
      if constexpr (L) add_product(hn::LoadU(d, products.at[1] + i), c, s, c1, s1);
      if constexpr (K) add_product(hn::LoadU(d, products.at[2] + i), c, s, c2, s2);
      if constexpr (K && L) add_product(hn::LoadU(d, products.at[3] + i), c, s, c3, s3);
    }
    add_to_mode<K, L>(d, c0, s0, c1, s1, c2, s2, c3, s3, sums);
  }

  /** The same for m and m + 1, so that products are loaded once. */
  template <bool K, bool L>
  HWY_INLINE void add_two_modes(D d, const RowProducts &products, const double *wave,
                                std::size_t stride, double *sums)
  {
    const int lanes = static_cast<int>(hn::Lanes(d));
    const V zero = hn::Zero(d);
    V c0 = zero, s0 = zero, c1 = zero, s1 = zero, c2 = zero, s2 = zero, c3 = zero, s3 = zero;
    V next_c0 = zero, next_s0 = zero, next_c1 = zero, next_s1 = zero, next_c2 = zero,
      next_s2 = zero, next_c3 = zero, next_s3 = zero;
    for (int i = 0; i < products.n; i += lanes) {
      const double *const at = wave + i;
      const V c = hn::LoadU(d, at), s = hn::LoadU(d, at + stride),
              next_c = hn::LoadU(d, at + 2 * stride), next_s = hn::LoadU(d, at + 3 * stride);
      const V p0 = hn::LoadU(d, products.at[0] + i);
      add_product(p0, c, s, c0, s0);
      add_product(p0, next_c, next_s, next_c0, next_s0);
      if constexpr (L) {
        const V p1 = hn::LoadU(d, products.at[1] + i);
        add_product(p1, c, s, c1, s1);
        add_product(p1, next_c, next_s, next_c1, next_s1);
      }
      if constexpr (K) {
        const V p2 = hn::LoadU(d, products.at[2] + i);
        add_product(p2, c, s, c2, s2);
        add_product(p2, next_c, next_s, next_c2, next_s2);
      }
      if constexpr (K && L) {
        const V p3 = hn::LoadU(d, products.at[3] + i);
        add_product(p3, c, s, c3, s3);
        add_product(p3, next_c, next_s, next_c3, next_s3);
      }
    }
    add_to_mode<K, L>(d, c0, s0, c1, s1, c2, s2, c3, s3, sums);
    add_to_mode<K, L>(d, next_c0, next_s0, next_c1, next_s1, next_c2, next_s2, next_c3, next_s3,
                      sums + MODE_PRODUCTS);
  }

  /** The sums of the mode with m = 0, where cosines are 1. */
  template <bool K, bool L>
  HWY_INLINE void add_first_mode(D d, const RowProducts &products, double *sums)
  {
    const int lanes = static_cast<int>(hn::Lanes(d));
    V p0 = hn::Zero(d), p1 = p0, p2 = p0, p3 = p0;
    for (int i = 0; i < products.n; i += lanes) {
      p0 = hn::Add(p0, hn::LoadU(d, products.at[0] + i));
      if constexpr (L) p1 = hn::Add(p1, hn::LoadU(d, products.at[1] + i));
      if constexpr (K) p2 = hn::Add(p2, hn::LoadU(d, products.at[2] + i));
      if constexpr (K && L) p3 = hn::Add(p3, hn::LoadU(d, products.at[3] + i));
    }
    double four[4] = {};
    add_four(d, p0, p1, p2, p3, four);
    for (int j = 0; j < 4; j++) sums[2 * j] += four[j];
  }

  /** The sums of a row. */
  template <bool K, bool L>
  HWY_NOINLINE void add_row(const WavePhases &phases, const WaveRow &row, std::size_t begin,
                            const RowProducts &products, double *sums)
  {
    const D d;
    sums += static_cast<std::size_t>(MODE_PRODUCTS) * row.first;
    add_first_mode<K, L>(d, products, sums);
    const double *wave = phases.table[2] + begin;
    int m = 1;
    if constexpr (MANY_REGISTERS || !(K && L))
      for (; m < row.last; m += 2, wave += 4 * phases.stride)
        add_two_modes<K, L>(d, products, wave, phases.stride, sums + MODE_PRODUCTS * m);
    for (; m <= row.last; m++, wave += 2 * phases.stride)
      add_mode<K, L>(d, products, wave, phases.stride, sums + MODE_PRODUCTS * m);
  }

  /** Charges times cosines or sines. */
  HWY_INLINE void multiply(const double *charge, const double *wave, int n, double *product)
  {
    const D d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    for (int i = 0; i < n; i += lanes)
      hn::StoreU(hn::Mul(hn::LoadU(d, charge + i), hn::LoadU(d, wave + i)), d, product + i);
  }

  /** The sums of the atoms [begin, begin+n). */
  HWY_INLINE void add_rows(const WavePhases &phases, const WaveRow *rows, int nrows,
                           const double *charge, std::size_t begin, int n, double *sums)
  {
    HWY_ALIGN double of_k[2][MOST_ATOMS], of_both[4][MOST_ATOMS];
    const double *factor[2] = {charge + begin, nullptr};
    int k = 0;
    for (const WaveRow *row = rows; row < rows + nrows; row++) {
      if (row->k != k) {
        k = row->k;
        for (int sine = 0; sine < 2; sine++) {
          multiply(charge + begin, phases.cosine(0, k) + sine * phases.stride + begin, n,
                   of_k[sine]);
          factor[sine] = of_k[sine];
        }
      }
      RowProducts products{{factor[0], nullptr, factor[1], nullptr}, n};
      if (row->l)
        for (int j = 0; j < (k ? 4 : 2); j++) {
          multiply(factor[j / 2], phases.cosine(1, row->l) + (j % 2) * phases.stride + begin, n,
                   of_both[j]);
          products.at[j] = of_both[j];
        }
      if (k)
        row->l ? add_row<true, true>(phases, *row, begin, products, sums)
               : add_row<true, false>(phases, *row, begin, products, sums);
      else
        row->l ? add_row<false, true>(phases, *row, begin, products, sums)
               : add_row<false, false>(phases, *row, begin, products, sums);
    }
  }

  void sum_wave_rows(const WavePhases &phases, const WaveRow *rows, int nrows, const double *charge,
                     int natoms, double *sums)
  {
    for (int i = 0; i < nrows; i++)
      std::fill_n(sums + static_cast<std::size_t>(MODE_PRODUCTS) * rows[i].first,
                  MODE_PRODUCTS * (rows[i].last + 1), 0.0);
    const int ngroups = natoms / WAVE_GROUP, most = MOST_ATOMS / WAVE_GROUP,
              nblocks = (ngroups + most - 1) / most;
    for (int block = 0; block < nblocks; block++) {
      const int begin = static_cast<int>(1LL * block * ngroups / nblocks),
                end = static_cast<int>((block + 1LL) * ngroups / nblocks);
      add_rows(phases, rows, nrows, charge, static_cast<std::size_t>(begin) * WAVE_GROUP,
               (end - begin) * WAVE_GROUP, sums);
    }
  }

  // ---- sums over modes

  /** Sums over the rows of one k, of what is multiplied with cosines (0) and with sines of k a. */
  struct RowSums {
    double value[2][WAVE_GROUP], l_slope[2][WAVE_GROUP], m_slope[2][WAVE_GROUP];
  };

  /** Add one of the four pairs of coefficients of a mode, for one vector of atoms: to the sum over
      m of a cos(m c) + b sin(m c), and to its derivative. */
  template <bool SLOPES>
  HWY_INLINE void add_pair(V a, V b, V cosine, V sine, V m_cosine, V m_sine, V &value, V &slope)
  {
    value = hn::MulAdd(a, cosine, hn::MulAdd(b, sine, value));
    if constexpr (SLOPES) slope = hn::MulAdd(b, m_cosine, hn::NegMulAdd(a, m_sine, slope));
  }

  /** The same for one or two vectors of atoms.

      \param c   [2] the coefficients */
  template <bool SLOPES>
  HWY_INLINE void add_pairs(D d, const double *c, V cosine, V sine, V m_cosine, V m_sine, V cosine2,
                            V sine2, V m_cosine2, V m_sine2, V &value, V &slope, V &value2,
                            V &slope2)
  {
    const V a = hn::Set(d, c[0]), b = hn::Set(d, c[1]);
    add_pair<SLOPES>(a, b, cosine, sine, m_cosine, m_sine, value, slope);
    if constexpr (MANY_REGISTERS)
      add_pair<SLOPES>(a, b, cosine2, sine2, m_cosine2, m_sine2, value2, slope2);
  }

  /** The sums of a row over m times cosines and sines of l b. */
  template <bool K, bool L, bool SLOPES>
  HWY_INLINE void finish_row(D d, const WavePhases &phases, int l, std::size_t at, int i, V value00,
                             V value01, V value10, V value11, V slope00, V slope01, V slope10,
                             V slope11, RowSums &sums)
  {
    const auto add = [&](double *to, V v) {
      hn::StoreU(hn::Add(hn::LoadU(d, to), v), d, to);
    };
    if constexpr (L) {
      const double *const cosines = phases.cosine(1, l) + at + i;
      const V cosine = hn::LoadU(d, cosines), sine = hn::LoadU(d, cosines + phases.stride);
      add(sums.value[0] + i, hn::MulAdd(cosine, value00, hn::Mul(sine, value01)));
      if constexpr (K) add(sums.value[1] + i, hn::MulAdd(cosine, value10, hn::Mul(sine, value11)));
      if constexpr (SLOPES) {
        const V factor = hn::Set(d, static_cast<double>(l));
        const V l_cosine = hn::Mul(factor, cosine), l_sine = hn::Mul(factor, sine);
        add(sums.l_slope[0] + i, hn::NegMulAdd(l_sine, value00, hn::Mul(l_cosine, value01)));
        add(sums.m_slope[0] + i, hn::MulAdd(cosine, slope00, hn::Mul(sine, slope01)));
        if constexpr (K) {
          add(sums.l_slope[1] + i, hn::NegMulAdd(l_sine, value10, hn::Mul(l_cosine, value11)));
          add(sums.m_slope[1] + i, hn::MulAdd(cosine, slope10, hn::Mul(sine, slope11)));
        }
      }
    } else {
      add(sums.value[0] + i, value00);
      if constexpr (K) add(sums.value[1] + i, value10);
      if constexpr (SLOPES) {
        add(sums.m_slope[0] + i, slope00);
        if constexpr (K) add(sums.m_slope[1] + i, slope10);
      }
    }
  }

  /** The sums of a row for one or two vectors of atoms, at i of the group that begins at `at`. */
  template <bool K, bool L, bool SLOPES>
  HWY_NOINLINE void add_row_at(const WavePhases &phases, const WaveRow &row, const double *coeff,
                               std::size_t at, int i, RowSums &sums)
  {
    const D d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const double *c = coeff + static_cast<std::size_t>(MODE_PRODUCTS) * row.first;
    const V zero = hn::Zero(d);
    V value00 = hn::Set(d, c[0]), value01 = hn::Set(d, c[2]), value10 = hn::Set(d, c[4]),
      value11 = hn::Set(d, c[6]), slope00 = zero, slope01 = zero, slope10 = zero, slope11 = zero;
    V other00 = value00, other01 = value01, other10 = value10, other11 = value11,
      other_slope00 = zero, other_slope01 = zero, other_slope10 = zero, other_slope11 = zero;
    const double *wave = phases.table[2] + at + i;
    for (int m = 1; m <= row.last; m++, wave += 2 * phases.stride) {
      c += MODE_PRODUCTS;
      const V factor = hn::Set(d, static_cast<double>(m));
      const V cos1 = hn::LoadU(d, wave), sin1 = hn::LoadU(d, wave + phases.stride),
              m_cos1 = hn::Mul(factor, cos1), m_sin1 = hn::Mul(factor, sin1);
      V cos2 = cos1, sin2 = sin1, m_cos2 = m_cos1, m_sin2 = m_sin1;
      if constexpr (MANY_REGISTERS) {
        cos2 = hn::LoadU(d, wave + lanes);
        sin2 = hn::LoadU(d, wave + phases.stride + lanes);
        m_cos2 = hn::Mul(factor, cos2);
        m_sin2 = hn::Mul(factor, sin2);
      }
      add_pairs<SLOPES>(d, c, cos1, sin1, m_cos1, m_sin1, cos2, sin2, m_cos2, m_sin2, value00,
                        slope00, other00, other_slope00);
      if constexpr (L)
        add_pairs<SLOPES>(d, c + 2, cos1, sin1, m_cos1, m_sin1, cos2, sin2, m_cos2, m_sin2, value01,
                          slope01, other01, other_slope01);
      if constexpr (K)
        add_pairs<SLOPES>(d, c + 4, cos1, sin1, m_cos1, m_sin1, cos2, sin2, m_cos2, m_sin2, value10,
                          slope10, other10, other_slope10);
      if constexpr (K && L)
        add_pairs<SLOPES>(d, c + 6, cos1, sin1, m_cos1, m_sin1, cos2, sin2, m_cos2, m_sin2, value11,
                          slope11, other11, other_slope11);
    }
    finish_row<K, L, SLOPES>(d, phases, row.l, at, i, value00, value01, value10, value11, slope00,
                             slope01, slope10, slope11, sums);
    if constexpr (MANY_REGISTERS)
      finish_row<K, L, SLOPES>(d, phases, row.l, at, i + lanes, other00, other01, other10, other11,
                               other_slope00, other_slope01, other_slope10, other_slope11, sums);
  }

  /** The sums of a row for all atoms of a group. */
  template <bool SLOPES>
  HWY_INLINE void add_row_of_group(const WavePhases &phases, const WaveRow &row,
                                   const double *coeff, std::size_t at, RowSums &sums)
  {
    const int step = static_cast<int>(hn::Lanes(D())) * (MANY_REGISTERS ? 2 : 1);
    for (int i = 0; i < WAVE_GROUP; i += step) {
      if (row.k)
        row.l ? add_row_at<true, true, SLOPES>(phases, row, coeff, at, i, sums)
              : add_row_at<true, false, SLOPES>(phases, row, coeff, at, i, sums);
      else
        row.l ? add_row_at<false, true, SLOPES>(phases, row, coeff, at, i, sums)
              : add_row_at<false, false, SLOPES>(phases, row, coeff, at, i, sums);
    }
  }

  /** The sums of all rows of one k times cosines and sines of k a. */
  template <bool SLOPES>
  HWY_INLINE void finish_k(const WavePhases &phases, int k, std::size_t at, const RowSums &sums,
                           double *results)
  {
    if (k == 0) {
      for (int i = 0; i < WAVE_GROUP; i++) {
        if constexpr (SLOPES) {
          results[WAVE_GROUP + i] += sums.l_slope[0][i];
          results[2 * WAVE_GROUP + i] += sums.m_slope[0][i];
        } else {
          results[i] += sums.value[0][i];
        }
      }
      return;
    }
    const D d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const V factor = hn::Set(d, static_cast<double>(k));
    for (int i = 0; i < WAVE_GROUP; i += lanes) {
      const double *const cosines = phases.cosine(0, k) + at + i;
      const V cosine = hn::LoadU(d, cosines), sine = hn::LoadU(d, cosines + phases.stride);
      const auto add = [&](double *to, V c, V s, const double(*of)[WAVE_GROUP]) {
        const V sum = hn::MulAdd(c, hn::LoadU(d, of[0] + i), hn::LoadU(d, to + i));
        hn::StoreU(hn::MulAdd(s, hn::LoadU(d, of[1] + i), sum), d, to + i);
      };
      if constexpr (SLOPES) {
        add(results, hn::Neg(hn::Mul(factor, sine)), hn::Mul(factor, cosine), sums.value);
        add(results + WAVE_GROUP, cosine, sine, sums.l_slope);
        add(results + 2 * WAVE_GROUP, cosine, sine, sums.m_slope);
      } else {
        add(results, cosine, sine, sums.value);
      }
    }
  }

  template <bool SLOPES>
  HWY_INLINE void sum_modes(const WavePhases &phases, const WaveRow *rows, int nrows,
                            const double *coeff, int group, double *results)
  {
    const std::size_t at = static_cast<std::size_t>(group) * WAVE_GROUP;
    std::fill_n(results, (SLOPES ? 3 : 1) * WAVE_GROUP, 0.0);
    const WaveRow *row = rows;
    while (row < rows + nrows) {
      RowSums sums = {};
      const int k = row->k;
      for (; row < rows + nrows && row->k == k; row++)
        add_row_of_group<SLOPES>(phases, *row, coeff, at, sums);
      finish_k<SLOPES>(phases, k, at, sums, results);
    }
  }

  void add_waves(const WavePhases &phases, const WaveRow *rows, int nrows, const double *coeff,
                 int group, double *sums)
  {
    sum_modes<false>(phases, rows, nrows, coeff, group, sums);
  }

  void add_wave_slopes(const WavePhases &phases, const WaveRow *rows, int nrows,
                       const double *coeff, int group, double *slopes)
  {
    sum_modes<true>(phases, rows, nrows, coeff, group, slopes);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, fill_wave_phases,
            (const WavePhases &phases, const double *x, int natoms, const double (*unit)[3],
             int first, int last),
            (phases, x, natoms, unit, first, last));

TOFU_EXPORT(void, sum_wave_rows,
            (const WavePhases &phases, const WaveRow *rows, int nrows, const double *charge,
             int natoms, double *sums),
            (phases, rows, nrows, charge, natoms, sums));

TOFU_EXPORT(void, add_waves,
            (const WavePhases &phases, const WaveRow *rows, int nrows, const double *coeff,
             int group, double *sums),
            (phases, rows, nrows, coeff, group, sums));

TOFU_EXPORT(void, add_wave_slopes,
            (const WavePhases &phases, const WaveRow *rows, int nrows, const double *coeff,
             int group, double *slopes),
            (phases, rows, nrows, coeff, group, slopes));

}    // namespace TOFU_NS
#endif
