// SPDX-License-Identifier: GPL-2.0-only
//
// Short-range terms of pair potentials, chosen when the program runs.
//
//   template <bool ENERGY, class D, class V>
//   void short_range(const PairTerms &, D d, const PairVectors<V> &pair, V &force, V &energy);
//
// is the force divided by the distance, and the energy, of a vector of pairs.  `early` of the pairs
// is the inverse of the distance squared, and `place` is the distance.
//
// Included once for each instruction set, by way of hwy/foreach_target.h.

#if defined(TOFU_KERNELS_SHORT_RANGE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TOFU_KERNELS_SHORT_RANGE_INL_H
#undef TOFU_KERNELS_SHORT_RANGE_INL_H
#else
#define TOFU_KERNELS_SHORT_RANGE_INL_H
#endif

#include "pair_loop-inl.h"
#include "pair_terms_data.h"

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  template <class V> HWY_INLINE V cube(V v)
  {
    return hn::Mul(hn::Mul(v, v), v);
  }

  // Lennard-Jones and its variants: c3 and c4 are lj1 and lj2.  Energies have 1/12 (1/9) of lj1 and
  // 1/6 of lj2.

  template <bool ENERGY, class D, class V>
  HWY_INLINE void lj_12_6(D d, const PairVectors<V> &pair, V &force, V &energy)
  {
    const V r6inv = cube(pair.early);
    force = hn::Mul(hn::Mul(r6inv, hn::MulSub(pair.c3, r6inv, pair.c4)), pair.early);
    if constexpr (ENERGY) {
      const V twelfth = hn::Mul(pair.c3, hn::Set(d, 1.0 / 12.0));
      energy = hn::Mul(r6inv, hn::MulSub(twelfth, r6inv, hn::Mul(pair.c4, hn::Set(d, 1.0 / 6.0))));
    }
  }

  template <bool ENERGY, class D, class V>
  HWY_INLINE void lj_9_6(D d, const PairVectors<V> &pair, V &force, V &energy)
  {
    const V r3inv = hn::Mul(hn::Mul(pair.early, pair.early), pair.place);
    const V r6inv = hn::Mul(r3inv, r3inv);
    force = hn::Mul(hn::Mul(r6inv, hn::MulSub(pair.c3, r3inv, pair.c4)), pair.early);
    if constexpr (ENERGY) {
      const V ninth = hn::Mul(pair.c3, hn::Set(d, 1.0 / 9.0));
      energy =
          hn::Sub(hn::Mul(r6inv, hn::MulSub(ninth, r3inv, hn::Mul(pair.c4, hn::Set(d, 1.0 / 6.0)))),
                  pair.c5);
    }
  }

  /** c5: shift of the distance. */
  template <bool ENERGY, class D, class V>
  HWY_INLINE void lj_expand(D d, const PairVectors<V> &pair, V &force, V &energy)
  {
    const V one = hn::Set(d, 1.0);
    const V shifted = hn::Sub(pair.place, pair.c5);
    const V inverse = hn::Div(one, shifted);
    const V r6inv = cube(hn::Mul(inverse, inverse));
    const V rinv = hn::Mul(pair.place, pair.early);
    force = hn::Mul(hn::Mul(r6inv, hn::MulSub(pair.c3, r6inv, pair.c4)), hn::Mul(inverse, rinv));
    if constexpr (ENERGY) {
      const V twelfth = hn::Mul(pair.c3, hn::Set(d, 1.0 / 12.0));
      energy = hn::Sub(
          hn::Mul(r6inv, hn::MulSub(twelfth, r6inv, hn::Mul(pair.c4, hn::Set(d, 1.0 / 6.0)))),
          pair.c6);
    }
  }

  /** c5: inner cut-off, beyond which c6 t^2 + c7 t^3 are added to the force; c2: to the energy
      everywhere. */
  template <bool ENERGY, class D, class V>
  HWY_INLINE void lj_gromacs(D d, const PairVectors<V> &pair, V &force, V &energy)
  {
    lj_12_6<ENERGY>(d, pair, force, energy);
    const V t = hn::Max(hn::Sub(pair.place, pair.c5), hn::Zero(d)), tsq = hn::Mul(t, t);
    const V rinv = hn::Mul(pair.place, pair.early);
    force = hn::MulAdd(hn::Mul(tsq, hn::MulAdd(pair.c7, t, pair.c6)), rinv, force);
    if constexpr (ENERGY) {
      const V slope = hn::MulAdd(hn::Mul(pair.c7, hn::Set(d, -0.25)), t,
                                 hn::Mul(pair.c6, hn::Set(d, -1.0 / 3.0)));
      energy = hn::Add(energy, hn::MulAdd(hn::Mul(tsq, t), slope, pair.c2));
    }
  }

  /** CHARMM's factor of energies between the cut-offs. */
  template <class D, class V> HWY_INLINE V switched_part(const Switching &s, D d, V rsq, V gap)
  {
    const V threefold = hn::Set(d, s.outersq - 3.0 * s.innersq);
    return hn::Mul(hn::Mul(hn::Mul(gap, gap), hn::Set(d, s.inverse_denominator)),
                   hn::MulAdd(hn::Set(d, 2.0), rsq, threefold));
  }

  /** CHARMM's factor on energies between the cut-offs, and the forces from its derivative. */
  template <bool ENERGY, class D, class V>
  HWY_INLINE void switch_off(const Switching &s, D d, const PairVectors<V> &pair, V unswitched,
                             V &force, V &energy)
  {
    if constexpr (ENERGY) energy = unswitched;
    const V innersq = hn::Set(d, s.innersq);
    const auto beyond = hn::Gt(pair.rsq, innersq);
    if (hn::AllFalse(d, beyond)) return;
    const V gap = hn::Sub(hn::Set(d, s.outersq), pair.rsq);
    const V factor = switched_part(s, d, pair.rsq, gap);
    const V slope =
        hn::Mul(hn::Set(d, 12.0 * s.inverse_denominator), hn::Mul(gap, hn::Sub(pair.rsq, innersq)));
    force = hn::IfThenElse(beyond, hn::MulAdd(unswitched, slope, hn::Mul(force, factor)), force);
    if constexpr (ENERGY) energy = hn::IfThenElse(beyond, hn::Mul(unswitched, factor), unswitched);
  }

  template <bool ENERGY, class D, class V>
  HWY_INLINE void lj_charmm(const PairTerms &terms, D d, const PairVectors<V> &pair, V &force,
                            V &energy)
  {
    V unswitched = force;
    lj_12_6<true>(d, pair, force, unswitched);
    switch_off<ENERGY>(terms.lj_switch, d, pair, unswitched, force, energy);
  }

  template <bool ENERGY, class D, class V>
  HWY_INLINE void lj_force_switch(const PairTerms &terms, D d, const PairVectors<V> &pair, V &force,
                                  V &energy)
  {
    lj_12_6<false>(d, pair, force, energy);
    const Switching &s = terms.lj_switch;
    const auto beyond = hn::Gt(pair.rsq, hn::Set(d, s.innersq));
    const V gap = hn::Sub(hn::Set(d, s.outersq), pair.rsq);
    force = hn::IfThenElse(beyond, hn::Mul(force, switched_part(s, d, pair.rsq, gap)), force);
    if constexpr (ENERGY) {
      const ForceSwitching &f = terms.force_switch;
      const V r3inv = hn::Mul(hn::Mul(pair.early, pair.early), pair.place);
      const V r6inv = hn::Mul(r3inv, r3inv);
      const V far6 = hn::Sub(r3inv, hn::Set(d, f.cut3inv)),
              far12 = hn::Sub(r6inv, hn::Set(d, f.cut6inv));
      const V part6 = hn::IfThenElse(beyond, hn::Mul(hn::Set(d, f.factor6), hn::Mul(far6, far6)),
                                     hn::Sub(r6inv, hn::Set(d, f.inner6)));
      const V part12 =
          hn::IfThenElse(beyond, hn::Mul(hn::Set(d, f.factor12), hn::Mul(far12, far12)),
                         hn::MulSub(r6inv, r6inv, hn::Set(d, f.inner12)));
      energy = hn::MulSub(hn::Mul(pair.c3, hn::Set(d, 1.0 / 12.0)), part12,
                          hn::Mul(hn::Mul(pair.c4, hn::Set(d, 1.0 / 6.0)), part6));
    }
  }

  /** c5: inner cut-off, where force and slope are those of Lennard-Jones; beyond it a polynomial
      whose last coefficients are c6 and c7; c2: offset of the energy. */
  template <bool ENERGY, class D, class V>
  HWY_INLINE void lj_smooth(D d, const PairVectors<V> &pair, V &force, V &energy)
  {
    lj_12_6<ENERGY>(d, pair, force, energy);
    const auto beyond = hn::Ge(pair.rsq, hn::Mul(pair.c5, pair.c5));
    if (!hn::AllFalse(d, beyond)) {
      const V inverse = hn::Div(hn::Set(d, 1.0), pair.c5), inversesq = hn::Mul(inverse, inverse);
      const V r6inv = cube(inversesq);
      const V first = hn::Mul(hn::Mul(r6inv, inverse), hn::MulSub(pair.c3, r6inv, pair.c4));
      const V second = hn::Mul(
          hn::Mul(r6inv, inversesq),
          hn::MulSub(hn::Set(d, 7.0), pair.c4, hn::Mul(hn::Set(d, 13.0), hn::Mul(pair.c3, r6inv))));
      const V t = hn::Sub(pair.place, pair.c5);
      const V smooth = hn::MulAdd(hn::MulAdd(hn::MulAdd(pair.c7, t, pair.c6), t, second), t, first);
      force = hn::IfThenElse(beyond, hn::Mul(smooth, hn::Mul(pair.place, pair.early)), force);
      if constexpr (ENERGY) {
        const V twelfth = hn::Mul(pair.c3, hn::Set(d, 1.0 / 12.0)),
                sixth = hn::Mul(pair.c4, hn::Set(d, 1.0 / 6.0));
        const V begin = hn::Mul(r6inv, hn::MulSub(twelfth, r6inv, sixth));
        const V third = hn::MulAdd(hn::Mul(pair.c7, hn::Set(d, 0.25)), t,
                                   hn::Mul(pair.c6, hn::Set(d, 1.0 / 3.0)));
        const V work = hn::MulAdd(hn::MulAdd(third, t, hn::Mul(second, hn::Set(d, 0.5))), t, first);
        energy = hn::IfThenElse(beyond, hn::NegMulAdd(work, t, begin), energy);
      }
    }
    if constexpr (ENERGY) energy = hn::Sub(energy, pair.c2);
  }

  /** Force and energy are brought to 0 at the cut-off c7, where they are c5 and c6. */
  template <bool ENERGY, class D, class V>
  HWY_INLINE void lj_smooth_linear(D d, const PairVectors<V> &pair, V &force, V &energy)
  {
    lj_12_6<ENERGY>(d, pair, force, energy);
    force = hn::NegMulAdd(pair.c5, hn::Mul(pair.place, pair.early), force);
    if constexpr (ENERGY)
      energy = hn::MulAdd(hn::Sub(pair.place, pair.c7), pair.c5, hn::Sub(energy, pair.c6));
  }

  /** The factor by which Mei, Davenport and Fernando bring an energy to 0 behind an inner cut-off,
      and its slope, negative and times the distance. */
  template <class D, class V>
  HWY_INLINE void taper(D d, const PairVectors<V> &pair, V inner, V inverse_width, V &force,
                        V &energy)
  {
    const auto beyond = hn::Gt(pair.rsq, hn::Mul(inner, inner));
    if (hn::AllFalse(d, beyond)) return;
    const V one = hn::Set(d, 1.0);
    const V part = hn::Mul(hn::Sub(pair.place, inner), inverse_width), left = hn::Sub(one, part);
    const V leftsq = hn::Mul(left, left);
    const V factor =
        hn::Mul(hn::Mul(leftsq, left),
                hn::MulAdd(hn::MulAdd(hn::Set(d, 6.0), part, hn::Set(d, 3.0)), part, one));
    const V slope = hn::Mul(hn::Mul(hn::Set(d, 30.0), hn::Mul(hn::Mul(part, part), leftsq)),
                            hn::Mul(inverse_width, hn::Mul(pair.place, pair.early)));
    force = hn::IfThenElse(beyond, hn::MulAdd(energy, slope, hn::Mul(force, factor)), force);
    energy = hn::IfThenElse(beyond, hn::Mul(energy, factor), energy);
  }

  /** c5: inner cut-off; c6: inverse of the width of the taper. */
  template <class D, class V>
  HWY_INLINE void lj_tapered(D d, const PairVectors<V> &pair, V &force, V &energy)
  {
    lj_12_6<true>(d, pair, force, energy);
    taper(d, pair, pair.c5, pair.c6, force, energy);
  }

  /** c5: inner cut-off, the inflection point, where force and energy are c6 and c2; c7: growth of
      the force beyond it. */
  template <bool ENERGY, class D, class V>
  HWY_INLINE void lj_cubic(D d, const PairVectors<V> &pair, V &force, V &energy)
  {
    lj_12_6<ENERGY>(d, pair, force, energy);
    const auto beyond = hn::Gt(pair.rsq, hn::Mul(pair.c5, pair.c5));
    if (hn::AllFalse(d, beyond)) return;
    const V t = hn::Sub(pair.place, pair.c5), growth = hn::Mul(pair.c7, hn::Mul(t, t));
    const V rinv = hn::Mul(pair.place, pair.early);
    force = hn::IfThenElse(beyond, hn::Mul(hn::Add(pair.c6, growth), rinv), force);
    if constexpr (ENERGY) {
      const V work = hn::MulAdd(growth, hn::Set(d, 1.0 / 3.0), pair.c6);
      energy = hn::IfThenElse(beyond, hn::NegMulAdd(work, t, pair.c2), energy);
    }
  }

  /** c3: depth; c4: sigma^-6; c5: summand.  Nothing is divided by the distance. */
  template <bool ENERGY, class D, class V>
  HWY_INLINE void lj_soft(const PairTerms &terms, D d, const PairVectors<V> &pair, V &force,
                          V &energy)
  {
    const V one = hn::Set(d, 1.0);
    const V r4 = hn::Mul(hn::Mul(pair.rsq, pair.rsq), pair.c4);
    const V inverse = hn::Div(one, hn::MulAdd(pair.rsq, r4, pair.c5));
    const V slope = hn::Mul(hn::Mul(hn::Set(d, 24.0), r4), hn::Mul(inverse, inverse));
    force = hn::Mul(hn::Mul(pair.c3, slope), hn::MulSub(hn::Set(d, 2.0), inverse, one));
    if constexpr (ENERGY) {
      const V depth = hn::Mul(hn::Set(d, 4.0), pair.c3);
      energy = hn::Mul(depth, hn::MulSub(inverse, inverse, inverse));
      if (terms.shifted) {
        const V last = hn::Div(one, hn::MulAdd(cube(pair.c1), pair.c4, pair.c5));
        energy = hn::NegMulAdd(depth, hn::MulSub(last, last, last), energy);
      }
    }
  }

  /** As lj_soft(), switched off as CHARMM does. */
  template <bool ENERGY, class D, class V>
  HWY_INLINE void lj_soft_charmm(const PairTerms &terms, D d, const PairVectors<V> &pair, V &force,
                                 V &energy)
  {
    V unswitched = force;
    lj_soft<true>(terms, d, pair, force, unswitched);
    switch_off<ENERGY>(terms.lj_switch, d, pair, unswitched, force, energy);
  }

  /** c3: depth, c4: sigma^-6; c5: summand; c2: depth of the shift, if charges have one cut-off. */
  template <bool ENERGY, class D, class V>
  HWY_INLINE void lj_soft_9_6(const PairTerms &terms, D d, const PairVectors<V> &pair, V &force,
                              V &energy)
  {
    const V one = hn::Set(d, 1.0), two = hn::Set(d, 2.0), three = hn::Set(d, 3.0);
    const V r4 = hn::Mul(hn::Mul(pair.rsq, pair.rsq), pair.c4);
    const V inverse = hn::Div(one, hn::MulAdd(pair.rsq, r4, pair.c5)), root = hn::Sqrt(inverse);
    const V slope = hn::Mul(hn::Mul(hn::Set(d, 18.0), r4), hn::Mul(inverse, inverse));
    force = hn::Mul(hn::Mul(pair.c3, slope), hn::Sub(root, one));
    if constexpr (ENERGY) {
      energy = hn::Mul(hn::Mul(pair.c3, inverse), hn::MulSub(two, root, three));
      if (terms.shifted) {
        const V depth = terms.coul_cutsq > 0.0 ? V(pair.c2) : V(pair.c3);
        const V last = hn::Div(one, hn::MulAdd(cube(pair.c1), pair.c4, pair.c5));
        const V shift = hn::Mul(last, hn::MulSub(two, hn::Sqrt(last), three));
        energy = hn::NegMulAdd(depth, shift, energy);
      }
    }
  }

  /** c5: power of the repulsion, 12 or 9; c6: of the attraction, 4, 5 or 6. */
  template <bool ENERGY, class D, class V>
  HWY_INLINE void spica(D d, const PairVectors<V> &pair, V &force, V &energy)
  {
    const V r4inv = hn::Mul(pair.early, pair.early), r3inv = hn::Mul(r4inv, pair.place),
            r6inv = hn::Mul(r4inv, pair.early);
    const V r5inv = hn::Mul(r3inv, pair.early);
    const V steep = hn::Mul(r6inv, hn::IfThenElse(hn::Eq(pair.c5, hn::Set(d, 9.0)), r3inv, r6inv));
    const V flat = hn::IfThenElse(hn::Eq(pair.c6, hn::Set(d, 6.0)), r6inv,
                                  hn::IfThenElse(hn::Eq(pair.c6, hn::Set(d, 5.0)), r5inv, r4inv));
    const V repulsion = hn::Mul(pair.c3, steep), attraction = hn::Mul(pair.c4, flat);
    force = hn::Mul(pair.early, hn::Sub(repulsion, attraction));
    if constexpr (ENERGY)
      energy = hn::Sub(hn::Sub(hn::Div(repulsion, pair.c5), hn::Div(attraction, pair.c6)), pair.c7);
  }

  /** c3 and c4: powers of the repulsion and the attraction. */
  template <bool ENERGY, class D, class V>
  HWY_INLINE void mie(D d, const PairVectors<V> &pair, V &force, V &energy)
  {
    const V log = hn::Mul(hn::Log(d, pair.rsq), hn::Set(d, -0.5));
    const V repulsion = hn::Mul(pair.c5, hn::Exp(d, hn::Mul(pair.c3, log))),
            attraction = hn::Mul(pair.c6, hn::Exp(d, hn::Mul(pair.c4, log)));
    force = hn::Mul(hn::Sub(repulsion, attraction), pair.early);
    if constexpr (ENERGY)
      energy = hn::Sub(hn::Sub(hn::Div(repulsion, pair.c3), hn::Div(attraction, pair.c4)), pair.c7);
  }

  // potentials of exponentials

  /** c3: steepness; c4: distance of the minimum; c5: depth; c6: factor of the third power of the
      exponential.  Atoms at the same place have no force. */
  template <bool ENERGY, class D, class V>
  HWY_INLINE void morse_soft(D d, const PairVectors<V> &pair, V &force, V &energy)
  {
    const V e = hn::Exp(d, hn::Mul(pair.c3, hn::Sub(pair.c4, pair.place)));
    const V c6e2 = hn::Mul(pair.c6, hn::Mul(e, e)), one = hn::Set(d, 1.0), two = hn::Set(d, 2.0);
    const V depth = hn::Mul(two, hn::Mul(pair.c5, hn::Sub(e, one)));
    const V slope = hn::Mul(hn::Mul(pair.c3, e), hn::MulAdd(hn::Set(d, 3.0), c6e2, depth));
    force = hn::IfThenElseZero(hn::Gt(pair.rsq, hn::Zero(d)),
                               hn::Mul(slope, hn::Mul(pair.place, pair.early)));
    if constexpr (ENERGY) energy = hn::Mul(e, hn::MulAdd(pair.c5, hn::Sub(e, two), c6e2));
  }

  /** c3: steepness; c4: distance of the minimum; c5: depth. */
  template <bool ENERGY, class D, class V>
  HWY_INLINE void morse(D d, const PairVectors<V> &pair, V &force, V &energy)
  {
    const V e = hn::Exp(d, hn::Mul(pair.c3, hn::Sub(pair.c4, pair.place)));
    const V one = hn::Set(d, 1.0), two = hn::Set(d, 2.0), c5e = hn::Mul(pair.c5, e);
    const V slope = hn::Mul(hn::Mul(two, pair.c3), hn::Mul(c5e, hn::Sub(e, one)));
    force = hn::Mul(slope, hn::Mul(pair.place, pair.early));
    if constexpr (ENERGY) energy = hn::Mul(c5e, hn::Sub(e, two));
  }

  /** c6: added to the force, which is then 0 at the cut-off c7; c2: offset. */
  template <bool ENERGY, class D, class V>
  HWY_INLINE void morse_smooth_linear(D d, const PairVectors<V> &pair, V &force, V &energy)
  {
    morse<ENERGY>(d, pair, force, energy);
    force = hn::MulAdd(pair.c6, hn::Mul(pair.place, pair.early), force);
    if constexpr (ENERGY)
      energy = hn::NegMulAdd(hn::Sub(pair.place, pair.c7), pair.c6, hn::Sub(energy, pair.c2));
  }

  /** c6: factor of r^-12; c7: offset. */
  template <bool ENERGY, class D, class V>
  HWY_INLINE void pedone(D d, const PairVectors<V> &pair, V &force, V &energy)
  {
    morse<ENERGY>(d, pair, force, energy);
    const V r6inv = cube(pair.early), repulsion = hn::Mul(pair.c6, hn::Mul(r6inv, r6inv));
    force = hn::MulAdd(hn::Mul(hn::Set(d, 12.0), repulsion), pair.early, force);
    if constexpr (ENERGY) energy = hn::Add(energy, hn::Sub(repulsion, pair.c7));
  }

  /** c3: 1/rho. */
  template <bool ENERGY, class D, class V>
  HWY_INLINE void buckingham(D d, const PairVectors<V> &pair, V &force, V &energy)
  {
    const V r6inv = cube(pair.early);
    const V repulsion = hn::Mul(pair.c4, hn::Exp(d, hn::Neg(hn::Mul(pair.place, pair.c3))));
    force = hn::Mul(pair.early, hn::MulSub(repulsion, pair.place, hn::Mul(pair.c5, r6inv)));
    if constexpr (ENERGY) {
      const V sixth = hn::Mul(pair.c5, hn::Set(d, 1.0 / 6.0));
      energy = hn::Sub(hn::NegMulAdd(sixth, r6inv, hn::Div(repulsion, pair.c3)), pair.c6);
    }
  }

  /** c6: inner cut-off; c7: inverse of the width of the taper. */
  template <class D, class V>
  HWY_INLINE void buckingham_tapered(D d, const PairVectors<V> &pair, V &force, V &energy)
  {
    const V r6inv = cube(pair.early);
    const V repulsion = hn::Mul(pair.c4, hn::Exp(d, hn::Neg(hn::Mul(pair.place, pair.c3))));
    force = hn::Mul(pair.early, hn::MulSub(repulsion, pair.place, hn::Mul(pair.c5, r6inv)));
    const V sixth = hn::Mul(pair.c5, hn::Set(d, 1.0 / 6.0));
    energy = hn::NegMulAdd(sixth, r6inv, hn::Div(repulsion, pair.c3));
    taper(d, pair, pair.c6, pair.c7, force, energy);
  }

  /** c3: 1/rho; c4: sigma; c2: offset of the energy. */
  template <bool ENERGY, class D, class V>
  HWY_INLINE void born(D d, const PairVectors<V> &pair, V &force, V &energy)
  {
    const V r6inv = cube(pair.early), r8inv = hn::Mul(r6inv, pair.early);
    const V repulsion =
        hn::Mul(pair.c5, hn::Exp(d, hn::Mul(hn::Sub(pair.c4, pair.place), pair.c3)));
    const V r6part = hn::Mul(pair.c6, r6inv), r8part = hn::Mul(pair.c7, r8inv);
    force = hn::Mul(pair.early, hn::Add(hn::MulSub(repulsion, pair.place, r6part), r8part));
    if constexpr (ENERGY) {
      const V attraction =
          hn::NegMulAdd(hn::Set(d, 0.125), r8part, hn::Mul(hn::Set(d, 1.0 / 6.0), r6part));
      energy = hn::Sub(hn::Sub(hn::Div(repulsion, pair.c3), attraction), pair.c2);
    }
  }

  template <bool ENERGY, class D, class V>
  HWY_INLINE void gauss(D d, const PairVectors<V> &pair, V &force, V &energy)
  {
    const V depth = hn::Mul(pair.c3, hn::Exp(d, hn::Neg(hn::Mul(pair.c4, pair.rsq))));
    force = hn::Mul(hn::Mul(hn::Set(d, -2.0), pair.c4), depth);
    if constexpr (ENERGY) energy = hn::Sub(pair.c5, depth);
  }

  /** c3: inverse of the width; c4: center; c5: height; c6: offset. */
  template <bool ENERGY, class D, class V>
  HWY_INLINE void gauss_cut(D d, const PairVectors<V> &pair, V &force, V &energy)
  {
    const V x = hn::Mul(hn::Sub(pair.place, pair.c4), pair.c3);
    const V bell = hn::Mul(pair.c5, hn::Exp(d, hn::Mul(hn::Set(d, -0.5), hn::Mul(x, x))));
    force = hn::Mul(hn::Mul(hn::Mul(x, pair.c3), bell), hn::Mul(pair.place, pair.early));
    if constexpr (ENERGY) energy = hn::Sub(bell, pair.c6);
  }

  /** c3: depth; c4: distance at which the wave begins; c5: inverse of its width; c6, c7: factors of
      r^-12 and r^-6 at smaller distances, or 0; c2: energy without these terms. */
  template <bool ENERGY, class D, class V>
  HWY_INLINE void cosine_squared(D d, const PairVectors<V> &pair, V &force, V &energy)
  {
    constexpr double PI = 3.14159265358979323846;
    const V r6inv = cube(pair.early), twelve = hn::Set(d, 12.0);
    const V core = hn::Mul(hn::Mul(twelve, r6inv),
                           hn::MulSub(pair.c6, r6inv, hn::Mul(pair.c7, hn::Set(d, 0.5))));
    const auto has_core = hn::Ne(pair.c6, hn::Zero(d));
    force = hn::IfThenElseZero(has_core, hn::Mul(core, pair.early));
    if constexpr (ENERGY) {
      const V lj = hn::Mul(r6inv, hn::MulSub(pair.c6, r6inv, pair.c7));
      energy = hn::Add(hn::IfThenElseZero(has_core, lj), pair.c2);
    }
    const auto beyond = hn::Gt(pair.place, pair.c4);
    if (hn::AllFalse(d, beyond)) return;
    const V wave = hn::Mul(hn::Set(d, 0.5 * PI), pair.c5);
    const V angle = hn::Min(hn::Mul(wave, hn::Sub(pair.place, pair.c4)), hn::Set(d, PI));
    const V cosine = hn::Cos(d, angle), part = hn::Mul(pair.c3, cosine);
    const V slope = hn::Mul(hn::Mul(hn::Set(d, -2.0), wave), hn::Mul(part, hn::Sin(d, angle)));
    force = hn::IfThenElse(beyond, hn::Mul(slope, hn::Mul(pair.place, pair.early)), force);
    if constexpr (ENERGY) energy = hn::IfThenElse(beyond, hn::Neg(hn::Mul(part, cosine)), energy);
  }

  /** c3: half of the spring constant; c4: its length. */
  template <bool ENERGY, class D, class V>
  HWY_INLINE void harmonic(D d, const PairVectors<V> &pair, V &force, V &energy)
  {
    const V delta = hn::Sub(pair.c4, pair.place), tension = hn::Mul(pair.c3, delta);
    force = hn::Mul(hn::Mul(hn::Set(d, 2.0), tension), hn::Mul(pair.place, pair.early));
    if constexpr (ENERGY) energy = hn::Mul(tension, delta);
  }

  /** c3: factor of the force; c4: sigma^-2; c5: depth; c6: offset. */
  template <bool ENERGY, class D, class V>
  HWY_INLINE void uhlenbeck_ford(D d, const PairVectors<V> &pair, V &force, V &energy)
  {
    const V e = hn::Exp(d, hn::Neg(hn::Mul(pair.c4, pair.rsq)));
    const V left = hn::Sub(hn::Set(d, 1.0), e);
    force = hn::Div(hn::Mul(pair.c3, e), left);
    if constexpr (ENERGY) energy = hn::NegMulSub(pair.c5, hn::Log(d, left), pair.c6);
  }

  /** c4: the cut-off.  Atoms at the same place have no force. */
  template <bool ENERGY, class D, class V>
  HWY_INLINE void soft(D d, const PairVectors<V> &pair, V &force, V &energy)
  {
    constexpr double PI = 3.14159265358979323846;
    const V wave = hn::Div(hn::Set(d, PI), pair.c4);
    const V angle = hn::Mul(wave, hn::Min(pair.place, pair.c4));
    const V slope = hn::Mul(hn::Mul(pair.c3, wave), hn::Sin(d, angle));
    force = hn::IfThenElseZero(hn::Gt(pair.rsq, hn::Zero(d)),
                               hn::Mul(slope, hn::Mul(pair.place, pair.early)));
    if constexpr (ENERGY) energy = hn::Mul(pair.c3, hn::Add(hn::Set(d, 1.0), hn::Cos(d, angle)));
  }

  template <bool ENERGY, class D, class V>
  HWY_INLINE void yukawa(const PairTerms &terms, D d, const PairVectors<V> &pair, V &force,
                         V &energy)
  {
    const V kappa = hn::Set(d, terms.kappa), rinv = hn::Mul(pair.place, pair.early);
    const V screening = hn::Exp(d, hn::Neg(hn::Mul(kappa, pair.place)));
    const V screened = hn::Mul(hn::Mul(pair.c3, screening), rinv);
    force = hn::Mul(screened, hn::MulAdd(kappa, rinv, pair.early));
    if constexpr (ENERGY) energy = hn::Sub(screened, pair.c4);
  }

  /** Ziegler, Biersack and Littmark's universal screening function; c3 is the wave number of its
      first exponential. */
  template <bool ENERGY, class D, class V>
  HWY_INLINE void zbl(const PairTerms &terms, D d, const PairVectors<V> &pair, V &force, V &energy)
  {
    static constexpr double FACTOR[] = {0.02817, 0.28022, 0.50986, 0.18175};
    static constexpr double WAVE[] = {0.20162, 0.40290, 0.94229, 3.19980};
    const V rinv = hn::Mul(pair.place, pair.early);
    V sum = hn::Zero(d), slope = sum;
    for (int k = 0; k < 4; k++) {
      const V wave = hn::Mul(pair.c3, hn::Set(d, WAVE[k] / WAVE[0]));
      const V part = hn::Mul(hn::Set(d, FACTOR[k]), hn::Exp(d, hn::Neg(hn::Mul(wave, pair.place))));
      sum = hn::Add(sum, part);
      slope = hn::MulAdd(wave, part, slope);
    }
    const V charges = hn::Mul(pair.c4, rinv);
    force = hn::Mul(charges, hn::MulAdd(sum, rinv, slope));
    const V beyond = hn::Max(hn::Sub(pair.place, hn::Set(d, terms.inner)), hn::Zero(d));
    const V tsq = hn::Mul(beyond, beyond);
    force = hn::Mul(rinv, hn::NegMulAdd(tsq, hn::MulAdd(pair.c6, beyond, pair.c5), force));
    if constexpr (ENERGY) {
      const V third = hn::Mul(pair.c5, hn::Set(d, 1.0 / 3.0)),
              fourth = hn::Mul(pair.c6, hn::Set(d, 0.25));
      energy =
          hn::MulAdd(charges, sum,
                     hn::MulAdd(hn::Mul(tsq, beyond), hn::MulAdd(fourth, beyond, third), pair.c7));
    }
  }

  template <bool ENERGY, class D, class V>
  HWY_INLINE void short_range(const PairTerms &terms, D d, const PairVectors<V> &pair, V &force,
                              V &energy)
  {
    switch (terms.short_range) {
      case ShortRange::NONE:
        break;
      case ShortRange::LJ_12_6:
        lj_12_6<ENERGY>(d, pair, force, energy);
        if constexpr (ENERGY) energy = hn::Sub(energy, pair.c5);
        break;
      case ShortRange::LJ_9_6:
        lj_9_6<ENERGY>(d, pair, force, energy);
        break;
      case ShortRange::LJ_EXPAND:
        lj_expand<ENERGY>(d, pair, force, energy);
        break;
      case ShortRange::LJ_GROMACS:
        lj_gromacs<ENERGY>(d, pair, force, energy);
        break;
      case ShortRange::LJ_CHARMM:
        lj_charmm<ENERGY>(terms, d, pair, force, energy);
        break;
      case ShortRange::LJ_FORCE_SWITCH:
        lj_force_switch<ENERGY>(terms, d, pair, force, energy);
        break;
      case ShortRange::LJ_SMOOTH:
        lj_smooth<ENERGY>(d, pair, force, energy);
        break;
      case ShortRange::LJ_SMOOTH_LINEAR:
        lj_smooth_linear<ENERGY>(d, pair, force, energy);
        break;
      case ShortRange::LJ_TAPERED:
        lj_tapered(d, pair, force, energy);
        break;
      case ShortRange::LJ_CUBIC:
        lj_cubic<ENERGY>(d, pair, force, energy);
        break;
      case ShortRange::LJ_SOFT:
        lj_soft<ENERGY>(terms, d, pair, force, energy);
        break;
      case ShortRange::LJ_SOFT_CHARMM:
        lj_soft_charmm<ENERGY>(terms, d, pair, force, energy);
        break;
      case ShortRange::LJ_SOFT_9_6:
        lj_soft_9_6<ENERGY>(terms, d, pair, force, energy);
        break;
      case ShortRange::MORSE_SOFT:
        morse_soft<ENERGY>(d, pair, force, energy);
        break;
      case ShortRange::MORSE_SMOOTH_LINEAR:
        morse_smooth_linear<ENERGY>(d, pair, force, energy);
        break;
      case ShortRange::PEDONE:
        pedone<ENERGY>(d, pair, force, energy);
        break;
      case ShortRange::SPICA:
        spica<ENERGY>(d, pair, force, energy);
        break;
      case ShortRange::MIE:
        mie<ENERGY>(d, pair, force, energy);
        break;
      case ShortRange::BUCKINGHAM:
        buckingham<ENERGY>(d, pair, force, energy);
        break;
      case ShortRange::BUCKINGHAM_TAPERED:
        buckingham_tapered(d, pair, force, energy);
        break;
      case ShortRange::BORN:
        born<ENERGY>(d, pair, force, energy);
        break;
      case ShortRange::GAUSS:
        gauss<ENERGY>(d, pair, force, energy);
        break;
      case ShortRange::GAUSS_CUT:
        gauss_cut<ENERGY>(d, pair, force, energy);
        break;
      case ShortRange::SOFT:
        soft<ENERGY>(d, pair, force, energy);
        break;
      case ShortRange::COSINE_SQUARED:
        cosine_squared<ENERGY>(d, pair, force, energy);
        break;
      case ShortRange::HARMONIC:
        harmonic<ENERGY>(d, pair, force, energy);
        break;
      case ShortRange::UHLENBECK_FORD:
        uhlenbeck_ford<ENERGY>(d, pair, force, energy);
        break;
      case ShortRange::YUKAWA:
        yukawa<ENERGY>(terms, d, pair, force, energy);
        break;
      case ShortRange::ZBL:
        zbl<ENERGY>(terms, d, pair, force, energy);
        break;
    }
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#endif
