// SPDX-License-Identifier: GPL-2.0-only

#include "lj_cut.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pair/lj_cut.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "pair_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  template <class T> struct LJCut {
    using Real = T;
    static constexpr int NCOEFFICIENTS = LJCutCoefficients::NCOEFFICIENTS;
    static constexpr int NFORCE_COEFFICIENTS = 4;
    static constexpr int HALF_LANES = 4;
    static constexpr bool PRUNES_FIRST = false;
    static constexpr bool CHARGED = false;
    int ntypes;
    const Real *coefficients;

    template <class D, class V>
    HWY_INLINE void look_ahead(D d, V rsq, V &r2inv, V &, std::int32_t *) const
    {
      r2inv = hn::Div(hn::Set(d, 1.0), rsq);
    }

    template <bool ENERGY, bool SPECIAL, class D, class V>
    HWY_INLINE void operator()(D, const PairVectors<V> &pair, V &fpair, V &evdwl, V &) const
    {
      const V r2inv = pair.early;
      const V r6inv = hn::Mul(hn::Mul(r2inv, r2inv), r2inv);
      fpair = hn::Mul(hn::Mul(r6inv, hn::MulSub(pair.c1, r6inv, pair.c2)), r2inv);
      if constexpr (ENERGY)
        evdwl = hn::Sub(hn::Mul(r6inv, hn::MulSub(pair.c4, r6inv, pair.c5)), pair.c6);
      if constexpr (SPECIAL) {
        fpair = hn::Mul(pair.factor_lj, fpair);
        if constexpr (ENERGY) evdwl = hn::Mul(pair.factor_lj, evdwl);
      }
    }
  };

  void lj_cut(const LJCutCoefficients &coefficients, const PairJob &job, int first, int last,
              PairTally &tally)
  {
    with_precision(job, [&](auto real) {
      compute_pairs(LJCut<decltype(real)>{coefficients.ntypes, coefficients.table.as(real)}, job,
                    first, last, tally);
    });
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, lj_cut,
            (const LJCutCoefficients &coefficients, const PairJob &job, int first, int last,
             PairTally &tally),
            (coefficients, job, first, last, tally));

}    // namespace TOFU_NS
#endif
