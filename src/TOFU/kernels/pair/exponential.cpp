// SPDX-License-Identifier: GPL-2.0-only

#include "exponential.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pair/exponential.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "pair_loop-inl.h"

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  template <class T> struct Exponential {
    using Real = T;
    static constexpr int NCOEFFICIENTS = ExponentialCoefficients::NCOEFFICIENTS;
    static constexpr int NFORCE_COEFFICIENTS = 4;
    static constexpr int HALF_LANES = 4;
    static constexpr bool PRUNES_FIRST = false;
    static constexpr bool CHARGED = false;
    int ntypes;
    const Real *coefficients;

    template <class D, class V>
    HWY_INLINE void look_ahead(D d, V rsq, V &rinv, V &r, std::int32_t *) const
    {
      r = hn::Sqrt(rsq);
      rinv = hn::Div(hn::Set(d, 1.0), r);
    }
  };

  template <class T> struct Buckingham : Exponential<T> {
    template <bool ENERGY, bool SPECIAL, class D, class V>
    HWY_INLINE void operator()(D d, const PairVectors<V> &pair, V &fpair, V &evdwl, V &) const
    {
      const V r = pair.place, r2inv = hn::Mul(pair.early, pair.early);
      const V r6inv = hn::Mul(hn::Mul(r2inv, r2inv), r2inv);
      const V rexp = hn::Exp(d, hn::Neg(hn::Mul(r, pair.c3)));
      fpair = hn::Mul(r2inv, hn::Sub(hn::Mul(hn::Mul(pair.c1, r), rexp), hn::Mul(pair.c2, r6inv)));
      if constexpr (ENERGY)
        evdwl = hn::Sub(hn::Sub(hn::Mul(pair.c4, rexp), hn::Mul(pair.c5, r6inv)), pair.c6);
      if constexpr (SPECIAL) {
        fpair = hn::Mul(pair.factor_lj, fpair);
        if constexpr (ENERGY) evdwl = hn::Mul(pair.factor_lj, evdwl);
      }
    }
  };

  template <class T> struct Morse : Exponential<T> {
    template <bool ENERGY, bool SPECIAL, class D, class V>
    HWY_INLINE void operator()(D d, const PairVectors<V> &pair, V &fpair, V &evdwl, V &) const
    {
      const V r = pair.place;
      const V dexp = hn::Exp(d, hn::Mul(hn::Neg(pair.c2), hn::Sub(r, pair.c3)));
      fpair = hn::Mul(hn::Mul(pair.c1, hn::MulSub(dexp, dexp, dexp)), pair.early);
      if constexpr (ENERGY)
        evdwl = hn::Sub(hn::Mul(pair.c4, hn::MulSub(dexp, dexp, hn::Add(dexp, dexp))), pair.c5);
      if constexpr (SPECIAL) {
        fpair = hn::Mul(pair.factor_lj, fpair);
        if constexpr (ENERGY) evdwl = hn::Mul(pair.factor_lj, evdwl);
      }
    }
  };

  void buckingham(const ExponentialCoefficients &c, const PairJob &job, int first, int last,
                  PairTally &tally)
  {
    with_precision(job, [&](auto real) {
      compute_pairs(Buckingham<decltype(real)>{{c.ntypes, c.table.as(real)}}, job, first, last,
                    tally);
    });
  }

  void morse(const ExponentialCoefficients &c, const PairJob &job, int first, int last,
             PairTally &tally)
  {
    with_precision(job, [&](auto real) {
      compute_pairs(Morse<decltype(real)>{{c.ntypes, c.table.as(real)}}, job, first, last, tally);
    });
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, buckingham,
            (const ExponentialCoefficients &c, const PairJob &job, int first, int last,
             PairTally &tally),
            (c, job, first, last, tally));

TOFU_EXPORT(void, morse,
            (const ExponentialCoefficients &c, const PairJob &job, int first, int last,
             PairTally &tally),
            (c, job, first, last, tally));

}    // namespace TOFU_NS
#endif
