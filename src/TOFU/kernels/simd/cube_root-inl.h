// SPDX-License-Identifier: GPL-2.0-only
//
// Inverse cube roots, of shielded Coulomb interactions.
//
// Included once for each instruction set, by way of hwy/foreach_target.h.

#if defined(TOFU_KERNELS_CUBE_ROOT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TOFU_KERNELS_CUBE_ROOT_INL_H
#undef TOFU_KERNELS_CUBE_ROOT_INL_H
#else
#define TOFU_KERNELS_CUBE_ROOT_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  namespace hn = hwy::HWY_NAMESPACE;

  /** s^(-1/3) for 1e-290 < s < 1e290, to rounding.

      The upper 32 bits of a double are its logarithm with an error of 9 percent.  They are divided
      by -3 in the mantissa of a number whose last bit is 1.  Two steps of fourth order follow: with
      h = 1 - s y^3 the result is y (1-h)^(-1/3). */
  template <class D, class V> HWY_INLINE V inverse_cube_root(D d, V s)
  {
    constexpr double UNIT = 4503599627370496.0;    // 2^52
    constexpr double OFFSET = 1430188287.0;        // 4/3 of the exponent's bias, less an error
    const hn::RebindToUnsigned<D> bits;
    const V upper = hn::BitCast(
        d, hn::Or(hn::ShiftRight<32>(hn::BitCast(bits, s)), hn::BitCast(bits, hn::Set(d, UNIT))));
    const V third =
        hn::NegMulAdd(upper, hn::Set(d, 1.0 / 3.0), hn::Set(d, UNIT + UNIT / 3.0 + OFFSET));
    V y = hn::BitCast(d, hn::ShiftLeft<32>(hn::BitCast(bits, third)));
    const V one = hn::Set(d, 1.0);
    for (int step = 0; step < 2; step++) {
      const V h = hn::NegMulAdd(s, hn::Mul(hn::Mul(y, y), y), one);
      V series = hn::MulAdd(h, hn::Set(d, 14.0 / 81.0), hn::Set(d, 2.0 / 9.0));
      series = hn::MulAdd(h, series, hn::Set(d, 1.0 / 3.0));
      y = hn::MulAdd(hn::Mul(h, series), y, y);
    }
    return y;
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#endif
