// SPDX-License-Identifier: GPL-2.0-only
//
// The complementary error function of a vector, to some units in the last place.
//
// The rational approximations are those of W. J. Cody, Math. Comp. 23, 631 (1969), with the
// coefficients of his routine CALERF; exp(-x^2) gets the rounding error of x^2 as well.
//
// Included once for each instruction set, by way of hwy/foreach_target.h.

#if defined(TOFU_KERNELS_ERFC_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TOFU_KERNELS_ERFC_INL_H
#undef TOFU_KERNELS_ERFC_INL_H
#else
#define TOFU_KERNELS_ERFC_INL_H
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {
  namespace hn = hwy::HWY_NAMESPACE;

  /** Polynomial whose first coefficient is that of the highest power. */
  template <int N, class D, class V> HWY_INLINE V polynomial(D d, V x, const double (&c)[N])
  {
    V sum = hn::Set(d, c[0]);
    for (int k = 1; k < N; k++) sum = hn::MulAdd(sum, x, hn::Set(d, c[k]));
    return sum;
  }

  /** erf(x) = x erf_ratio(x^2) up to 0.46875. */
  template <class D, class V> HWY_INLINE V erf_ratio(D d, V xsq)
  {
    static constexpr double above[] = {1.85777706184603153e-1, 3.16112374387056560,
                                       1.13864154151050156e2, 3.77485237685302021e2,
                                       3.20937758913846947e3};
    static constexpr double below[] = {1.0, 2.36012909523441209e1, 2.44024637934444173e2,
                                       1.28261652607737228e3, 2.84423683343917062e3};
    return hn::Div(polynomial(d, xsq, above), polynomial(d, xsq, below));
  }

  /** erfc(x) exp(x^2) from 0.46875 to 4. */
  template <class D, class V> HWY_INLINE V erfcx_middle(D d, V x)
  {
    static constexpr double above[] = {
        2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594,
        6.61191906371416295e1,  2.98635138197400131e2,  8.81952221241769090e2,
        1.71204761263407058e3,  2.05107837782607147e3,  1.23033935479799725e3};
    static constexpr double below[] = {1.0,
                                       1.57449261107098347e1,
                                       1.17693950891312499e2,
                                       5.37181101862009858e2,
                                       1.62138957456669019e3,
                                       3.29079923573345963e3,
                                       4.36261909014324716e3,
                                       3.43936767414372164e3,
                                       1.23033935480374942e3};
    return hn::Div(polynomial(d, x, above), polynomial(d, x, below));
  }

  /** The same beyond. */
  template <class D, class V> HWY_INLINE V erfcx_far(D d, V x)
  {
    static constexpr double above[] = {1.63153871373020978e-2, 3.05326634961232344e-1,
                                       3.60344899949804439e-1, 1.25781726111229246e-1,
                                       1.60837851487422766e-2, 6.58749161529837803e-4};
    static constexpr double below[] = {1.0,
                                       2.56852019228982242,
                                       1.87295284992346725,
                                       5.27905102951428412e-1,
                                       6.05183413124413191e-2,
                                       2.33520497626869185e-3};
    constexpr double INVERSE_ROOT_OF_PI = 0.56418958354775628695;
    const V xinv = hn::Div(hn::Set(d, 1.0), x);
    const V xsqinv = hn::Mul(xinv, xinv);
    const V rest =
        hn::Mul(xsqinv, hn::Div(polynomial(d, xsqinv, above), polynomial(d, xsqinv, below)));
    return hn::Mul(hn::Sub(hn::Set(d, INVERSE_ROOT_OF_PI), rest), xinv);
  }

  /** erfc(x) for x >= 0; doubles only.

      \param expm2   becomes exp(-x^2) */
  template <class D, class V> HWY_NOINLINE V complementary_error_function(D d, V x, V &expm2)
  {
    x = hn::Min(x, hn::Set(d, 27.0));    // 0 from there on
    const V xsq = hn::Mul(x, x), lost = hn::MulSub(x, x, xsq);
    const V rounded = hn::Exp(d, hn::Neg(xsq));
    expm2 = hn::NegMulAdd(rounded, lost, rounded);

    const auto near = hn::Le(x, hn::Set(d, 0.46875)), far = hn::Gt(x, hn::Set(d, 4.0));
    V erfc = hn::Mul(erfcx_middle(d, x), expm2);
    if (!hn::AllFalse(d, far)) erfc = hn::IfThenElse(far, hn::Mul(erfcx_far(d, x), expm2), erfc);
    if (!hn::AllFalse(d, near))
      erfc = hn::IfThenElse(near, hn::NegMulAdd(x, erf_ratio(d, xsq), hn::Set(d, 1.0)), erfc);
    return erfc;
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#endif
