// SPDX-License-Identifier: GPL-2.0-only
//
// Coulomb parts of pair potentials.
//
//   struct Coulomb {
//     // force times distance and energy of pairs within cutsq(), for a vector of pairs
//     template <bool ENERGY, bool SPECIAL, class D, class V>
//     void operator()(D d, const PairVectors<V> &pair, V r2inv, V &force, V &energy) const;
//     V cutsq(D d, const PairVectors<V> &pair) const;
//     void look_ahead(D d, V rsq, V &place, std::int32_t *interval) const;    // see pair loop
//   };
//
// Included once for each instruction set, by way of hwy/foreach_target.h.

#if defined(TOFU_KERNELS_COULOMB_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TOFU_KERNELS_COULOMB_INL_H
#undef TOFU_KERNELS_COULOMB_INL_H
#else
#define TOFU_KERNELS_COULOMB_INL_H
#endif

#include "coulomb.h"
#include "pair_loop-inl.h"

#include <hwy/contrib/math/math-inl.h>

#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** erfc() as in most styles of LAMMPS (Abramowitz and Stegun 7.1.26).

      \param expm2   becomes exp(-x^2) */
  template <class D, class V> HWY_INLINE V ewald_erfc(D d, V x, V &expm2)
  {
    const V one = hn::Set(d, 1.0);
    expm2 = hn::Exp(d, hn::Neg(hn::Mul(x, x)));
    const V t = hn::Div(one, hn::MulAdd(hn::Set(d, 0.3275911), x, one));
    V series = hn::Set(d, 1.061405429);
    series = hn::MulAdd(series, t, hn::Set(d, -1.453152027));
    series = hn::MulAdd(series, t, hn::Set(d, 1.421413741));
    series = hn::MulAdd(series, t, hn::Set(d, -0.284496736));
    series = hn::MulAdd(series, t, hn::Set(d, 0.254829592));
    return hn::Mul(hn::Mul(series, t), expm2);
  }

  /** Cut off: the fifth coefficient is the square of the cut-off. */
  struct CoulombCut {
    double qqrd2e;

    template <class D, class V> HWY_INLINE V cutsq(D, const PairVectors<V> &pair) const
    {
      return pair.c4;
    }

    template <class D, class V> HWY_INLINE void look_ahead(D, V, V &, std::int32_t *) const {}

    template <bool ENERGY, bool SPECIAL, class D, class V>
    HWY_INLINE void operator()(D d, const PairVectors<V> &pair, V r2inv, V &force, V &energy) const
    {
      force = hn::Mul(hn::Mul(hn::Set(d, qqrd2e), pair.qq), hn::Sqrt(r2inv));
      if constexpr (SPECIAL) force = hn::Mul(pair.factor_coul, force);
      if constexpr (ENERGY) energy = force;
    }
  };

  /** CHARMM: switched to 0 between an inner and an outer cut-off. */
  struct CoulombCharmm {
    double qqrd2e;
    Switching switching;

    template <class D, class V> HWY_INLINE V cutsq(D d, const PairVectors<V> &) const
    {
      return hn::Set(d, switching.outersq);
    }

    template <class D, class V> HWY_INLINE void look_ahead(D, V, V &, std::int32_t *) const {}

    template <bool ENERGY, bool SPECIAL, class D, class V>
    HWY_INLINE void operator()(D d, const PairVectors<V> &pair, V r2inv, V &force, V &energy) const
    {
      force = hn::Mul(hn::Mul(hn::Set(d, qqrd2e), pair.qq), hn::Sqrt(r2inv));
      const V outersq = hn::Set(d, switching.outersq), innersq = hn::Set(d, switching.innersq);
      const V gap = hn::Sub(outersq, pair.rsq);
      const V factor =
          hn::Mul(hn::Mul(hn::Mul(gap, gap),
                          hn::NegMulAdd(hn::Set(d, 3.0), innersq,
                                        hn::Add(outersq, hn::Add(pair.rsq, pair.rsq)))),
                  hn::Set(d, switching.inverse_denominator));
      force = hn::IfThenElse(hn::Gt(pair.rsq, innersq), hn::Mul(force, factor), force);
      if constexpr (SPECIAL) force = hn::Mul(pair.factor_coul, force);
      if constexpr (ENERGY) energy = force;
    }
  };

  /** The short-range part of Ewald sums, from LAMMPS' table where it has one: by the bits of rsq in
    single precision (Wolff and Rudd, Comp. Phys. Comm. 120, 20 (1999)). */
  struct CoulombLong {
    const LongRange &table;
    double qqrd2e;

    template <class D, class V> HWY_INLINE V cutsq(D d, const PairVectors<V> &) const
    {
      return hn::Set(d, table.cutsq);
    }

    /** The entry of the table for each pair, and the distance squared beyond that of the entry. */
    template <class D, class V>
    HWY_INLINE void look_ahead(D d, V rsq, V &beyond, std::int32_t *entry) const
    {
      const auto single = to_single(d, hn::Min(rsq, hn::Set(d, table.cutsq)));
      beyond = from_single(d, hn::Sub(single, begin_of_entry(d, single, entry)));
    }

    /** Entries and distances squared beyond them, in double precision. */
    template <class D, class V>
    HWY_INLINE void look_up(D d, V rsq, V &beyond, std::int32_t *entry) const
    {
      const V within = hn::Min(rsq, hn::Set(d, table.cutsq));
      beyond = hn::Sub(within, from_single(d, begin_of_entry(d, to_single(d, within), entry)));
    }

    template <bool ENERGY, bool SPECIAL, class D, class V>
    HWY_INLINE void operator()(D d, const PairVectors<V> &pair, V, V &force, V &energy) const
    {
      const auto near = hn::Le(pair.rsq, hn::Set(d, table.innersq));
      force = energy = hn::Zero(d);
      if (!hn::AllTrue(d, near)) tabulated<ENERGY, SPECIAL>(d, pair, force, energy);
      if (hn::AllFalse(d, near)) return;
      V near_force, near_energy = energy;
      analytical<ENERGY, SPECIAL>(d, pair.rsq, pair.qq, pair.factor_coul, near_force, near_energy);
      force = hn::IfThenElse(near, near_force, force);
      if constexpr (ENERGY) energy = hn::IfThenElse(near, near_energy, energy);
    }

    /** Force and energy from the table. */
    template <bool ENERGY, bool SPECIAL, class D, class V>
    HWY_INLINE void tabulated(D d, const PairVectors<V> &pair, V &force, V &energy) const
    {
      using Real = hn::TFromD<D>;
      const V beyond = pair.place;
      const std::int32_t *const index = pair.interval;
      V f = pair.qq, df_drsq = f;
      load_pairs(d, table.forces.as(Real()), index, table.stride(Real()), f, df_drsq);
      force = hn::Mul(pair.qq, hn::MulAdd(beyond, df_drsq, f));
      if constexpr (ENERGY || SPECIAL) {
        V c = f, dc = f, e = f, de = f;
        load_rows(d, table.others.as(Real()), index, 4, c, dc, e, de);
        if constexpr (ENERGY) energy = hn::Mul(pair.qq, hn::MulAdd(beyond, de, e));
        if constexpr (SPECIAL) {
          const V missing = hn::Sub(hn::Set(d, 1.0), pair.factor_coul);
          V bare = hn::Mul(missing, hn::MulAdd(beyond, dc, c));
          if (table.double_rsq) bare = from_single(d, to_single(d, bare));
          bare = hn::Mul(pair.qq, bare);
          force = hn::Sub(force, bare);
          if constexpr (ENERGY) energy = hn::Sub(energy, bare);
        }
      }
    }

   private:
    template <class D, class F> HWY_INLINE F begin_of_entry(D, F single, std::int32_t *entry) const
    {
      const hn::Rebind<float, D> df;
      const hn::RebindToSigned<decltype(df)> di;
      const auto bits = hn::BitCast(di, single);
      hn::Store(hn::ShiftRightSame(hn::And(bits, hn::Set(di, table.mask)), table.shift), di, entry);
      const auto lower_bits = hn::Set(di, (1 << table.shift) - 1);
      return hn::BitCast(df, hn::AndNot(lower_bits, bits));
    }

    template <class D, class V> static HWY_INLINE auto to_single(D, V v)
    {
      if constexpr (sizeof(hn::TFromD<D>) == sizeof(float))
        return v;
      else
        return hn::DemoteTo(hn::Rebind<float, D>(), v);
    }

    template <class D, class F> static HWY_INLINE hn::Vec<D> from_single([[maybe_unused]] D d, F v)
    {
      if constexpr (sizeof(hn::TFromD<D>) == sizeof(float))
        return v;
      else
        return hn::PromoteTo(d, v);
    }

    template <bool ENERGY, bool SPECIAL, class D, class V>
    HWY_NOINLINE void analytical(D d, V rsq, V qq, V factor_coul, V &force, V &energy) const
    {
      const V one = hn::Set(d, 1.0);
      const V r = hn::Sqrt(hn::Min(rsq, hn::Set(d, table.cutsq)));
      const V bare = hn::Div(hn::Mul(hn::Set(d, qqrd2e), qq), r);
      if (table.splitting.n > 0) {
        split<ENERGY>(d, r, bare, force, energy);
      } else {
        const V grij = hn::Mul(hn::Set(d, table.g_ewald), r);
        V expm2 = grij;
        const V erfc = ewald_erfc(d, grij, expm2);
        force = hn::Mul(bare, hn::MulAdd(hn::Mul(hn::Set(d, 1.12837917), grij), expm2, erfc));
        if constexpr (ENERGY) energy = hn::Mul(bare, erfc);
      }
      if constexpr (SPECIAL) {
        const V missing = hn::Mul(hn::Sub(one, factor_coul), bare);
        force = hn::Sub(force, missing);
        if constexpr (ENERGY) energy = hn::Sub(energy, missing);
      }
    }

    template <bool ENERGY, class D, class V>
    HWY_INLINE void split(D d, V r, V bare, V &force, V &energy) const
    {
      using Real = hn::TFromD<D>;
      const SplitCharges &s = table.splitting;
      const V one = hn::Set(d, 1.0);
      const V x = hn::Mul(r, hn::Set(d, static_cast<Real>(1.0 / std::sqrt(table.cutsq))));
      const V xsq = hn::Mul(x, x);
      const auto series = [&](const double *c, int last) {
        V sum = hn::Set(d, static_cast<Real>(c[last]));
        for (int k = last - 1; k >= 0; k--)
          sum = hn::MulAdd(sum, xsq, hn::Set(d, static_cast<Real>(c[k])));
        return sum;
      };
      force = hn::Mul(bare, hn::MulAdd(hn::Mul(xsq, x), series(s.dgamma, s.n - 1), one));
      if constexpr (ENERGY) energy = hn::Mul(bare, hn::NegMulAdd(x, series(s.gamma, s.n), one));
    }
  };

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#endif
