// SPDX-License-Identifier: GPL-2.0-only

#include "lj_coul.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pair/lj_charmm_coul.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "lj_coul-inl.h"

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** CHARMM: switched to 0 between an inner and an outer cut-off. */
  struct LJCharmmPart {
    Switching switching;

    template <class D, class V> HWY_INLINE V cutsq(D d, const PairVectors<V> &) const
    {
      return hn::Set(d, switching.outersq);
    }

    template <bool ENERGY, class D, class V>
    HWY_INLINE void operator()(D d, const PairVectors<V> &pair, V r6inv, V &force, V &energy) const
    {
      force = hn::Mul(r6inv, hn::MulSub(pair.c1, r6inv, pair.c2));
      if constexpr (ENERGY) energy = hn::Mul(r6inv, hn::MulSub(pair.c5, r6inv, pair.c6));

      const V outersq = hn::Set(d, switching.outersq), innersq = hn::Set(d, switching.innersq);
      const auto switched = hn::Gt(pair.rsq, innersq);
      if (hn::AllFalse(d, switched)) return;
      const V gap = hn::Sub(outersq, pair.rsq);
      const V gap_inverse = hn::Mul(gap, hn::Set(d, switching.inverse_denominator));
      const V factor = hn::Mul(
          hn::Mul(gap, gap_inverse),
          hn::NegMulAdd(hn::Set(d, 3.0), innersq, hn::Add(outersq, hn::Add(pair.rsq, pair.rsq))));
      const V slope = hn::Mul(hn::Mul(hn::Set(d, 12.0), pair.rsq),
                              hn::Mul(gap_inverse, hn::Sub(pair.rsq, innersq)));

      // lj3 = lj1 / 12, lj4 = lj2 / 6

      const V philj = hn::Mul(r6inv,
                              hn::MulSub(hn::Mul(hn::Set(d, 1.0 / 12.0), pair.c1), r6inv,
                                         hn::Mul(hn::Set(d, 1.0 / 6.0), pair.c2)));
      force = hn::IfThenElse(switched, hn::MulAdd(philj, slope, hn::Mul(force, factor)), force);
      if constexpr (ENERGY) energy = hn::IfThenElse(switched, hn::Mul(energy, factor), energy);
    }
  };

  void lj_charmm_coul_long(const LJCoulCoefficients &c, const Switching &lj, const LongRange &table,
                           const PairJob &job, int first, int last, PairTally &tally)
  {
    with_precision(job, [&](auto real) {
      const LJCoul<decltype(real), LJCharmmPart, CoulombLong, 2> potential{
          c.ntypes, c.table.as(real), c.largest_cutsq, {lj}, {table, c.qqrd2e}};
      compute_pairs(potential, job, first, last, tally);
    });
  }

  void lj_charmm_coul_charmm(const LJCoulCoefficients &c, const Switching &lj,
                             const Switching &coul, const PairJob &job, int first, int last,
                             PairTally &tally)
  {
    with_precision(job, [&](auto real) {
      const LJCoul<decltype(real), LJCharmmPart, CoulombCharmm, 2> potential{
          c.ntypes, c.table.as(real), c.largest_cutsq, {lj}, {c.qqrd2e, coul}};
      compute_pairs(potential, job, first, last, tally);
    });
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, lj_charmm_coul_long,
            (const LJCoulCoefficients &c, const Switching &lj, const LongRange &table,
             const PairJob &job, int first, int last, PairTally &tally),
            (c, lj, table, job, first, last, tally));

TOFU_EXPORT(void, lj_charmm_coul_charmm,
            (const LJCoulCoefficients &c, const Switching &lj, const Switching &coul,
             const PairJob &job, int first, int last, PairTally &tally),
            (c, lj, coul, job, first, last, tally));

}    // namespace TOFU_NS
#endif
