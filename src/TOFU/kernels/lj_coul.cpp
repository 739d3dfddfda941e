// SPDX-License-Identifier: GPL-2.0-only

#include "lj_coul.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/lj_coul.cpp"
#include "highway_targets.h"
#include <hwy/foreach_target.h>

#include "coulomb-inl.h"
#include "pair_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** Cut off: the fourth coefficient is the square of the cut-off. */
  struct LJCutPart {
    template <class D, class V> HWY_INLINE V cutsq(D, const PairVectors<V> &pair) const
    {
      return pair.c3;
    }

    template <bool ENERGY, class D, class V>
    HWY_INLINE void operator()(D, const PairVectors<V> &pair, V r6inv, V &force, V &energy) const
    {
      force = hn::Mul(r6inv, hn::MulSub(pair.c1, r6inv, pair.c2));
      if constexpr (ENERGY)
        energy = hn::Sub(hn::Mul(r6inv, hn::MulSub(pair.c5, r6inv, pair.c6)), pair.c7);
    }
  };

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

  template <class T, class LJ, class Coulomb, int NFORCE> struct LJCoul {
    using Real = T;
    static constexpr int NCOEFFICIENTS = LJCoulCoefficients::NCOEFFICIENTS;
    static constexpr int NFORCE_COEFFICIENTS = NFORCE;
    static constexpr int HALF_LANES = 8;
    static constexpr bool PRUNES_FIRST = true;
    static constexpr bool CHARGED = true;
    int ntypes;
    const Real *coefficients;
    double largest_cutsq;
    LJ lj;
    Coulomb coulomb;

    template <class D, class V>
    HWY_INLINE void look_ahead(D d, V rsq, V &r2inv, V &place, std::int32_t *interval) const
    {
      r2inv = hn::Div(hn::Set(d, 1.0), rsq);
      coulomb.look_ahead(d, rsq, place, interval);
    }

    template <bool ENERGY, bool SPECIAL, class D, class V>
    HWY_INLINE void operator()(D d, const PairVectors<V> &pair, V &fpair, V &evdwl, V &ecoul) const
    {
      const V r2inv = pair.early;
      const V r6inv = hn::Mul(hn::Mul(r2inv, r2inv), r2inv);
      V forcelj, forcecoul;
      lj.template operator()<ENERGY>(d, pair, r6inv, forcelj, evdwl);
      if constexpr (SPECIAL) {
        forcelj = hn::Mul(pair.factor_lj, forcelj);
        if constexpr (ENERGY) evdwl = hn::Mul(pair.factor_lj, evdwl);
      }
      coulomb.template operator()<ENERGY, SPECIAL>(d, pair, r2inv, forcecoul, ecoul);

      const auto in_lj = hn::Lt(pair.rsq, lj.cutsq(d, pair));
      const auto in_coulomb = hn::Lt(pair.rsq, coulomb.cutsq(d, pair));
      fpair = hn::Mul(
          r2inv,
          hn::Add(hn::IfThenElseZero(in_lj, forcelj), hn::IfThenElseZero(in_coulomb, forcecoul)));
      if constexpr (ENERGY) {
        evdwl = hn::IfThenElseZero(in_lj, evdwl);
        ecoul = hn::IfThenElseZero(in_coulomb, ecoul);
      }
    }
  };

  void compute_cut_cut(const LJCoulCoefficients &c, const PairJob &job, int first, int last,
                       PairTally &tally)
  {
    with_precision(job, [&](auto real) {
      const LJCoul<decltype(real), LJCutPart, CoulombCut, 8> potential{
          c.ntypes, c.table.as(real), c.largest_cutsq, {}, {c.qqrd2e}};
      compute_pairs(potential, job, first, last, tally);
    });
  }

  void compute_cut_long(const LJCoulCoefficients &c, const LongRange &table, const PairJob &job,
                        int first, int last, PairTally &tally)
  {
    with_precision(job, [&](auto real) {
      const LJCoul<decltype(real), LJCutPart, CoulombLong, 4> potential{
          c.ntypes, c.table.as(real), c.largest_cutsq, {}, {table, c.qqrd2e}};
      compute_pairs(potential, job, first, last, tally);
    });
  }

  void compute_charmm_long(const LJCoulCoefficients &c, const Switching &lj, const LongRange &table,
                           const PairJob &job, int first, int last, PairTally &tally)
  {
    with_precision(job, [&](auto real) {
      const LJCoul<decltype(real), LJCharmmPart, CoulombLong, 2> potential{
          c.ntypes, c.table.as(real), c.largest_cutsq, {lj}, {table, c.qqrd2e}};
      compute_pairs(potential, job, first, last, tally);
    });
  }

  void compute_charmm_charmm(const LJCoulCoefficients &c, const Switching &lj,
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

HWY_EXPORT(compute_cut_cut);
HWY_EXPORT(compute_cut_long);
HWY_EXPORT(compute_charmm_long);
HWY_EXPORT(compute_charmm_charmm);

void lj_cut_coul_cut(const LJCoulCoefficients &c, const PairJob &job, int first, int last,
                     PairTally &tally)
{
  HWY_DYNAMIC_DISPATCH(compute_cut_cut)(c, job, first, last, tally);
}

void lj_cut_coul_long(const LJCoulCoefficients &c, const LongRange &table, const PairJob &job,
                      int first, int last, PairTally &tally)
{
  HWY_DYNAMIC_DISPATCH(compute_cut_long)(c, table, job, first, last, tally);
}

void lj_charmm_coul_long(const LJCoulCoefficients &c, const Switching &lj, const LongRange &table,
                         const PairJob &job, int first, int last, PairTally &tally)
{
  HWY_DYNAMIC_DISPATCH(compute_charmm_long)(c, lj, table, job, first, last, tally);
}

void lj_charmm_coul_charmm(const LJCoulCoefficients &c, const Switching &lj, const Switching &coul,
                           const PairJob &job, int first, int last, PairTally &tally)
{
  HWY_DYNAMIC_DISPATCH(compute_charmm_charmm)(c, lj, coul, job, first, last, tally);
}

}    // namespace TOFU_NS
#endif
