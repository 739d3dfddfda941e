// SPDX-License-Identifier: GPL-2.0-only
//
// Random numbers of pairs of atoms: each is a function of a seed, the step and the ids of both
// atoms alone, the same for (i, j) and (j, i).  So it does not depend on which rank or thread
// computes the pair, nor on the order of pairs, and two ranks that both compute a pair get the same
// number.
//
// The function is Philox-4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy
// as 1, 2, 3", SC11), whose numbers pass all tests of TestU01; the normal distribution is by Box
// and Muller (Ann. Math. Stat. 29, 610 (1958)).
//
// Included once for each instruction set, by way of hwy/foreach_target.h.

#if defined(TOFU_KERNELS_PAIR_NOISE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TOFU_KERNELS_PAIR_NOISE_INL_H
#undef TOFU_KERNELS_PAIR_NOISE_INL_H
#else
#define TOFU_KERNELS_PAIR_NOISE_INL_H
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {
  namespace hn = hwy::HWY_NAMESPACE;

  /** Product of the lower halves of the lanes with a number of 32 bits. */
  template <class D, class U> HWY_INLINE U product_of_lower_halves(D d64, U words, std::uint32_t by)
  {
#if HWY_TARGET == HWY_SCALAR
    return hn::Mul(hn::And(words, hn::Set(d64, 0xFFFFFFFFu)),
                   hn::Set(d64, static_cast<std::uint64_t>(by)));
#else
    const hn::Repartition<std::uint32_t, D> d32;
    return hn::BitCast(d64, hn::MulEven(hn::BitCast(d32, words), hn::Set(d32, by)));
#endif
  }

  /** Ten rounds of Philox on four words, each in the lower half of a lane; what is in the upper
      half does not count. */
  template <class D, class U>
  HWY_INLINE void philox(D d64, std::uint32_t key0, std::uint32_t key1, U &c0, U &c1, U &c2, U &c3)
  {
    for (int round = 0; round < 10; round++) {
      const U product0 = product_of_lower_halves(d64, c0, 0xD2511F53u),
              product1 = product_of_lower_halves(d64, c2, 0xCD9E8D57u);
      c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(product1), c1),
                   hn::Set(d64, static_cast<std::uint64_t>(key0)));
      c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(product0), c3),
                   hn::Set(d64, static_cast<std::uint64_t>(key1)));
      c1 = product1;
      c3 = product0;
      key0 += 0x9E3779B9u;
      key1 += 0xBB67AE85u;
    }
  }

  /** Numbers in [1, 2), by the upper bits of two words. */
  template <class D, class U> HWY_INLINE hn::Vec<D> between_1_and_2(D d, U upper, U lower)
  {
    const hn::RebindToUnsigned<D> d64;
    const U words = hn::Or(hn::ShiftLeft<32>(upper), hn::And(lower, hn::Set(d64, 0xFFFFFFFFu)));
    return hn::BitCast(d,
                       hn::Or(hn::ShiftRight<12>(words), hn::Set(d64, std::uint64_t{0x3FF} << 52)));
  }

  /** A number of the normal distribution with mean 0 and variance 1 for each pair of atoms.

      \param step    below 2^44
      \param tag_i   ids of atoms, whole numbers in [0, 2^52); also tag_j */
  template <class D, class V>
  HWY_INLINE V pair_noise(D d, std::uint32_t seed, std::uint64_t step, V tag_i, V tag_j)
  {
    const hn::RebindToUnsigned<D> d64;
    const V two_52 = hn::Set(d, 4503599627370496.0);    // added, a number is in the lower bits
    const auto mask = hn::Set(d64, (std::uint64_t{1} << 52) - 1);
    const auto less = hn::And(hn::BitCast(d64, hn::Add(hn::Min(tag_i, tag_j), two_52)), mask),
               more = hn::And(hn::BitCast(d64, hn::Add(hn::Max(tag_i, tag_j), two_52)), mask);
    auto c0 = less, c2 = more, c3 = hn::ShiftRight<32>(more);
    auto c1 = hn::Or(hn::ShiftRight<32>(less), hn::Set(d64, (step >> 32 & 0xFFF) << 20));
    philox(d64, seed, static_cast<std::uint32_t>(step), c0, c1, c2, c3);

    const V above_0 = hn::Sub(hn::Set(d, 2.0), between_1_and_2(d, c0, c1));
    const V turn = hn::Sub(between_1_and_2(d, c2, c3), hn::Set(d, 1.0));
    const V radius = hn::Sqrt(hn::Mul(hn::Set(d, -2.0), hn::Log(d, above_0)));
    return hn::Mul(radius, hn::Cos(d, hn::Mul(hn::Set(d, 6.28318530717958647693), turn)));
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#endif
