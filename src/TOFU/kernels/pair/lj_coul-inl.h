// SPDX-License-Identifier: GPL-2.0-only
//
// A potential of a Lennard-Jones and a Coulomb part, for PairLoop.  Each part has the square of its
// cut-off:
//
//   struct Part {
//     template <class D, class V> V cutsq(D d, const PairVectors<V> &pair) const;
//     ...
//   };
//
// Included once for each instruction set, by way of hwy/foreach_target.h.

#if defined(TOFU_KERNELS_LJ_COUL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TOFU_KERNELS_LJ_COUL_INL_H
#undef TOFU_KERNELS_LJ_COUL_INL_H
#else
#define TOFU_KERNELS_LJ_COUL_INL_H
#endif

#include "coulomb-inl.h"
#include "lj_coul.h"
#include "pair_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

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

  /** The Coulomb part only, with one cut-off for all pairs, and without energies: for rows of atoms
      without Lennard-Jones forces, such as hydrogen in most models of water. */
  template <class T, class Coulomb> struct ChargesAlone {
    using Real = T;
    static constexpr int NCOEFFICIENTS = LJCoulCoefficients::NCOEFFICIENTS;
    static constexpr int NFORCE_COEFFICIENTS = 0;
    static constexpr int HALF_LANES = 8;
    static constexpr bool PRUNES_FIRST = true;
    static constexpr bool CHARGED = true;
    int ntypes;
    const Real *coefficients;
    double largest_cutsq;    // of the Coulomb part
    Coulomb coulomb;

    template <class D, class V>
    HWY_INLINE void look_ahead(D d, V rsq, V &r2inv, V &place, std::int32_t *interval) const
    {
      r2inv = hn::Div(hn::Set(d, 1.0), rsq);
      coulomb.look_ahead(d, rsq, place, interval);
    }

    template <bool ENERGY, bool SPECIAL, class D, class V>
    HWY_INLINE void operator()(D d, const PairVectors<V> &pair, V &fpair, V &, V &ecoul) const
    {
      V force = fpair;
      coulomb.template operator()<ENERGY, SPECIAL>(d, pair, pair.early, force, ecoul);
      fpair = hn::Mul(pair.early, force);
    }
  };

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#endif
