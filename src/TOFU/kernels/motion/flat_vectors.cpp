// SPDX-License-Identifier: GPL-2.0-only

#include "flat_vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/motion/flat_vectors.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "kernels/simd/rows-inl.h"

#include <hwy/highway.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** Several sums at a time, since one waits for its last addition.

      \return   first number that is not in the sum */
  template <class D>
  HWY_INLINE int add_products(D d, const double *HWY_RESTRICT a, const double *HWY_RESTRICT b,
                              int first, int n, double &sum)
  {
    using V = hn::Vec<D>;
    const int lanes = static_cast<int>(hn::Lanes(d));
    V s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    int k = first;
    for (; k + 4 * lanes <= n; k += 4 * lanes) {
      s0 = hn::MulAdd(hn::LoadU(d, a + k), hn::LoadU(d, b + k), s0);
      s1 = hn::MulAdd(hn::LoadU(d, a + k + lanes), hn::LoadU(d, b + k + lanes), s1);
      s2 = hn::MulAdd(hn::LoadU(d, a + k + 2 * lanes), hn::LoadU(d, b + k + 2 * lanes), s2);
      s3 = hn::MulAdd(hn::LoadU(d, a + k + 3 * lanes), hn::LoadU(d, b + k + 3 * lanes), s3);
    }
    for (; k + lanes <= n; k += lanes)
      s0 = hn::MulAdd(hn::LoadU(d, a + k), hn::LoadU(d, b + k), s0);
    sum += sum_of(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)));
    return k;
  }

  double dot_product(const double *a, const double *b, int n)
  {
    double sum = 0.0;
    const int rest = add_products(DoublesUpTo<8>(), a, b, 0, n, sum);
    add_products(DoublesUpTo<1>(), a, b, rest, n, sum);
    return sum;
  }

  template <class D>
  HWY_INLINE int look_for_larger(D d, const double *a, int first, int n, double &largest)
  {
    const int lanes = static_cast<int>(hn::Lanes(d));
    auto most = hn::Set(d, largest);
    int k = first;
    for (; k + lanes <= n; k += lanes) {
      const auto size = hn::Abs(hn::LoadU(d, a + k));
      most = hn::IfThenElse(hn::Gt(size, most), size, most);    // NaN is not
    }
    HWY_ALIGN double lane[hn::MaxLanes(D())];
    hn::Store(most, d, lane);
    largest = *std::max_element(lane, lane + lanes);
    return k;
  }

  double largest(const double *a, int n)
  {
    double most = 0.0;
    const int rest = look_for_larger(DoublesUpTo<8>(), a, 0, n, most);
    look_for_larger(DoublesUpTo<1>(), a, rest, n, most);
    return most;
  }

  template <class D>
  HWY_INLINE int combine_from(D d, double p, const double *a, double q, const double *b, double *to,
                              int first, int n)
  {
    const int lanes = static_cast<int>(hn::Lanes(d));
    const auto of_a = hn::Set(d, p), of_b = hn::Set(d, q);
    int k = first;
    for (; k + lanes <= n; k += lanes)
      hn::StoreU(hn::MulAdd(of_b, hn::LoadU(d, b + k), hn::Mul(of_a, hn::LoadU(d, a + k))), d,
                 to + k);
    return k;
  }

  void combine_vectors(double p, const double *a, double q, const double *b, double *to, int n)
  {
    const int rest = combine_from(DoublesUpTo<8>(), p, a, q, b, to, 0, n);
    combine_from(DoublesUpTo<1>(), p, a, q, b, to, rest, n);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

HWY_EXPORT(largest);

TOFU_EXPORT(double, dot_product, (const double *a, const double *b, int n), (a, b, n));

double largest_magnitude(const double *a, int n)
{
  return HWY_DYNAMIC_DISPATCH(largest)(a, n);
}

TOFU_EXPORT(void, combine_vectors,
            (double p, const double *a, double q, const double *b, double *to, int n),
            (p, a, q, b, to, n));

}    // namespace TOFU_NS
#endif
