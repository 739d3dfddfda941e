// SPDX-License-Identifier: GPL-2.0-only

#include "partial_dft.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/mesh/partial_dft.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <algorithm>

#ifndef TOFU_PARTIAL_DFT_PRODUCT
#define TOFU_PARTIAL_DFT_PRODUCT
namespace TOFU_NS {

namespace {

  enum class ProductKind { REAL_TO_HALF, COMPLEX, HALF_TO_REAL };

  template <class T> struct Product {
    ProductKind kind;
    int n, nmine;
    std::size_t nlines;
    const T *twiddles, *in;
    T *out;
  };

}    // namespace

}    // namespace TOFU_NS
#endif

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {
  namespace hn = hwy::HWY_NAMESPACE;

  // 16 sums where there are 32 registers, else 8

#if HWY_TARGET == HWY_SSE2 || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_AVX2
  constexpr int MOST_PAIRS = 2;
#else
  constexpr int MOST_PAIRS = 4;
#endif

  /** Add the contribution of two vectors of a point to the sums of one pair of outputs. */
  template <class D, class T, class V>
  HWY_INLINE void add_point(D d, const T *twiddle, V u0, V u1, V v0, V v1, V &c0, V &c1, V &s0,
                            V &s1)
  {
    const V cosine = hn::Set(d, twiddle[0]), sine = hn::Set(d, twiddle[1]);
    c0 = hn::MulAdd(cosine, u0, c0);
    c1 = hn::MulAdd(cosine, u1, c1);
    s0 = hn::MulAdd(sine, v0, s0);
    s1 = hn::MulAdd(sine, v1, s1);
  }

  /** Complex numbers times -i; with vectors of one number, the first two are the parts of one. */
  template <class D, class V> HWY_INLINE void turn(D d, V &v0, V &v1)
  {
#if HWY_TARGET == HWY_SCALAR
    (void) d;
    const V real = v0;
    v0 = v1;
    v1 = hn::Neg(real);
#else
    const V swapped0 = hn::Reverse2(d, v0), swapped1 = hn::Reverse2(d, v1);
    v0 = hn::OddEven(hn::Neg(swapped0), swapped0);
    v1 = hn::OddEven(hn::Neg(swapped1), swapped1);
#endif
  }

  /** Outputs h and n-h at one place of their rows. */
  template <ProductKind KIND, class D, class T, class V>
  HWY_INLINE void store_place(D d, const Product<T> &job, int h, std::size_t at, V c, V s)
  {
    if constexpr (KIND == ProductKind::REAL_TO_HALF) {
      T *const row = job.out + 2 * h * job.nlines + at;
      hn::StoreU(c, d, row);
      hn::StoreU(hn::Neg(s), d, row + job.nlines);
      return;
    }
    const std::size_t row_out = (KIND == ProductKind::HALF_TO_REAL ? 1 : 2) * job.nlines;
    hn::StoreU(hn::Add(c, s), d, job.out + h * row_out + at);
    if (h == 0 || 2 * h == job.n) return;
    hn::StoreU(hn::Sub(c, s), d, job.out + (job.n - h) * row_out + at);
  }

  /** The same at two places, from the sums with cosines and with sines. */
  template <ProductKind KIND, class D, class T, class V>
  HWY_INLINE void store_pair(D d, const Product<T> &job, int h, std::size_t at0, std::size_t at1,
                             V c0, V c1, V s0, V s1)
  {
    if constexpr (KIND == ProductKind::COMPLEX) turn(d, s0, s1);
    store_place<KIND>(d, job, h, at0, c0, s0);
    store_place<KIND>(d, job, h, at1, c1, s1);
  }

  /** Pairs of outputs [h, h+NPAIRS), at two places of the rows. */
  template <ProductKind KIND, int NPAIRS, class D, class T>
  HWY_INLINE void compute_block(D d, const Product<T> &job, int h, std::size_t at0, std::size_t at1)
  {
    using V = hn::Vec<D>;
    const std::size_t row_in = (KIND == ProductKind::REAL_TO_HALF ? 1 : 2) * job.nlines;
    V c00 = hn::Zero(d), c01 = c00, s00 = c00, s01 = c00;
    V c10 = c00, c11 = c00, s10 = c00, s11 = c00;
    V c20 = c00, c21 = c00, s20 = c00, s21 = c00;
    V c30 = c00, c31 = c00, s30 = c00, s31 = c00;
    const T *twiddle = job.twiddles + 2 * h, *in = job.in;
    for (int j = 0; j < job.nmine; j++, in += row_in, twiddle += 2 * (job.n / 2 + 1)) {
      const V u0 = hn::LoadU(d, in + at0), u1 = hn::LoadU(d, in + at1);
      V v0 = u0, v1 = u1;
      if constexpr (KIND == ProductKind::HALF_TO_REAL) {
        v0 = hn::LoadU(d, in + job.nlines + at0);
        v1 = hn::LoadU(d, in + job.nlines + at1);
      }
      add_point(d, twiddle, u0, u1, v0, v1, c00, c01, s00, s01);
      if constexpr (NPAIRS > 1) add_point(d, twiddle + 2, u0, u1, v0, v1, c10, c11, s10, s11);
      if constexpr (NPAIRS > 2) add_point(d, twiddle + 4, u0, u1, v0, v1, c20, c21, s20, s21);
      if constexpr (NPAIRS > 3) add_point(d, twiddle + 6, u0, u1, v0, v1, c30, c31, s30, s31);
    }
    store_pair<KIND>(d, job, h, at0, at1, c00, c01, s00, s01);
    if constexpr (NPAIRS > 1) store_pair<KIND>(d, job, h + 1, at0, at1, c10, c11, s10, s11);
    if constexpr (NPAIRS > 2) store_pair<KIND>(d, job, h + 2, at0, at1, c20, c21, s20, s21);
    if constexpr (NPAIRS > 3) store_pair<KIND>(d, job, h + 3, at0, at1, c30, c31, s30, s31);
  }

  /** The same at places [begin, end). */
  template <ProductKind KIND, int NPAIRS, class D, class T>
  HWY_INLINE void compute_places(D d, const Product<T> &job, int h, std::size_t begin,
                                 std::size_t end, std::size_t last)
  {
    const std::size_t lanes = hn::Lanes(d);
    for (std::size_t at = begin; at < end; at += 2 * lanes)
      compute_block<KIND, NPAIRS>(d, job, h, std::min(at, last), std::min(at + lanes, last));
  }

  /** All outputs, in blocks as even as possible, for a few cache lines of each row at a time.  Rows
      that are whole pages apart share few places of the cache; with a tile of this length the data
      that are read stay there. */
  template <ProductKind KIND, class D, class T>
  HWY_NOINLINE void compute_vectors(D d, const Product<T> &job, std::size_t nvalues)
  {
    const std::size_t lanes = hn::Lanes(d), last = nvalues - lanes, tile = 8 * lanes;
    const int npairs = job.n / 2 + 1, nblocks = (npairs + MOST_PAIRS - 1) / MOST_PAIRS;
    for (std::size_t begin = 0; begin < nvalues; begin += tile) {
      const std::size_t end = std::min(begin + tile, nvalues);
      for (int block = 0; block < nblocks; block++) {
        const int h = block * npairs / nblocks, many = (block + 1) * npairs / nblocks - h;
        if (many == 1) compute_places<KIND, 1>(d, job, h, begin, end, last);
        if (many == 2) compute_places<KIND, 2>(d, job, h, begin, end, last);
        if constexpr (MOST_PAIRS > 2) {
          if (many == 3) compute_places<KIND, 3>(d, job, h, begin, end, last);
          if (many == 4) compute_places<KIND, 4>(d, job, h, begin, end, last);
        }
      }
    }
  }

  /** The length of vectors is halved until a row is longer than one vector, or as often as
      possible.  The last vectors overlap with those before, which give the same results there. */
  template <ProductKind KIND, int NLANES, class T>
  HWY_INLINE void compute_lines(const Product<T> &job)
  {
    constexpr int LEAST = KIND == ProductKind::COMPLEX ? 2 : 1;
    const hn::CappedTag<T, NLANES> d;
    const std::size_t nvalues = (KIND == ProductKind::COMPLEX ? 2 : 1) * job.nlines;
    if constexpr (NLANES > LEAST)
      if (nvalues <= hn::Lanes(d)) return compute_lines<KIND, NLANES / 2>(job);
    compute_vectors<KIND>(d, job, nvalues);
  }

  template <class T> HWY_INLINE void compute_product(const Product<T> &job)
  {
    constexpr int NLANES = 64 / sizeof(T);
    if (job.kind == ProductKind::REAL_TO_HALF)
      compute_lines<ProductKind::REAL_TO_HALF, NLANES>(job);
    else if (job.kind == ProductKind::HALF_TO_REAL)
      compute_lines<ProductKind::HALF_TO_REAL, NLANES>(job);
    else
      compute_lines<ProductKind::COMPLEX, NLANES>(job);
  }

  void compute_double(const Product<double> &job)
  {
    compute_product(job);
  }

  void compute_float(const Product<float> &job)
  {
    compute_product(job);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include <cmath>
#include <cstdint>

namespace TOFU_NS {

HWY_EXPORT(compute_double);
HWY_EXPORT(compute_float);

namespace {

  struct Root {
    double cosine, sine;
  };

  /** exp(2 pi i m / n), 0 <= m <= n, from an angle of at most 45 degrees, so that zeros and ones
      are exact. */
  Root root_of_unity(std::int64_t m, std::int64_t n)
  {
    if (2 * m > n) {
      const Root r = root_of_unity(n - m, n);
      return {r.cosine, -r.sine};
    }
    if (4 * m > n) {
      const Root r = root_of_unity(n - 2 * m, 2 * n);
      return {-r.cosine, r.sine};
    }
    if (8 * m > n) {
      const Root r = root_of_unity(n - 4 * m, 4 * n);
      return {r.sine, r.cosine};
    }
    static const double TWO_PI = 8.0 * std::atan(1.0);
    const double angle = TWO_PI * static_cast<double>(m) / static_cast<double>(n);
    return {std::cos(angle), std::sin(angle)};
  }

  void dispatch(const Product<double> &job)
  {
    HWY_DYNAMIC_DISPATCH(compute_double)(job);
  }

  void dispatch(const Product<float> &job)
  {
    HWY_DYNAMIC_DISPATCH(compute_float)(job);
  }

}    // namespace

/* ---------------------------------------------------------------------- */

template <class Real>
PartialDft<Real>::PartialDft(PartialDftKind kind, int n, int first, int nmine, double factor) :
    kind_(kind), n_(n), nmine_(nmine)
{
  twiddles_.reserve(static_cast<std::size_t>(2) * nmine * nhalf());
  const bool backward = kind == PartialDftKind::BACKWARD || kind == PartialDftKind::HALF_TO_REAL;
  const double sign = backward ? -1.0 : 1.0;    // the kernel multiplies with cosine - i sine
  for (int j = first; j < first + nmine; j++) {
    const bool twice = kind == PartialDftKind::HALF_TO_REAL && j != 0 && 2 * j != n;
    const double weight = twice ? 2.0 * factor : factor;
    for (int h = 0; h < nhalf(); h++) {
      const Root root = root_of_unity(static_cast<std::int64_t>(j) * h % n, n);
      twiddles_.push_back(static_cast<Real>(weight * root.cosine));
      twiddles_.push_back(static_cast<Real>(weight * sign * root.sine));
    }
  }
}

/* ---------------------------------------------------------------------- */

template <class Real>
void PartialDft<Real>::run(std::size_t nlines, const Real *in, Real *out) const
{
  if (nlines == 0) return;
  const ProductKind kind = kind_ == PartialDftKind::REAL_TO_HALF ? ProductKind::REAL_TO_HALF
      : kind_ == PartialDftKind::HALF_TO_REAL                    ? ProductKind::HALF_TO_REAL
                                                                 : ProductKind::COMPLEX;
  dispatch(Product<Real>{kind, n_, nmine_, nlines, twiddles_.data(), in, out});
}

/* ---------------------------------------------------------------------- */

template class PartialDft<double>;
template class PartialDft<float>;

}    // namespace TOFU_NS
#endif
