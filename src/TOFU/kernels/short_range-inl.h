// SPDX-License-Identifier: GPL-2.0-only
//
// Short-range terms of pair potentials, chosen when the program runs.
//
//   template <bool ENERGY, class D, class V>
//   void short_range(const PairTerms &, D d, const PairVectors<V> &pair, V &force, V &energy);
//
// is the force divided by the distance, and the energy, of a vector of pairs.  `early` of the pairs is
// the inverse of the distance squared and `place` the distance, but for tables.
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

  // Lennard-Jones and what is made of it: c3 and c4 are lj1 and lj2.  Energies have a twelfth (a ninth)
  // of the first and a sixth of the second.

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

  /** c5: what the distance is shifted by. */
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

  template <bool ENERGY, class D, class V>
  HWY_INLINE void lj_charmm(const PairTerms &terms, D d, const PairVectors<V> &pair, V &force,
                            V &energy)
  {
    V unswitched = force;
    lj_12_6<true>(d, pair, force, unswitched);
    if constexpr (ENERGY) energy = unswitched;
    const Switching &s = terms.lj_switch;
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
  HWY_INLINE void yukawa(const PairTerms &terms, D d, const PairVectors<V> &pair, V &force,
                         V &energy)
  {
    const V kappa = hn::Set(d, terms.kappa), rinv = hn::Mul(pair.place, pair.early);
    const V screened = hn::Mul(pair.c3, hn::Exp(d, hn::Neg(hn::Mul(kappa, pair.place))));
    force = hn::Mul(hn::Mul(screened, hn::Add(kappa, rinv)), pair.early);
    if constexpr (ENERGY) energy = hn::MulSub(screened, rinv, pair.c4);
  }

  template <bool ENERGY, class D, class V>
  HWY_INLINE void gauss(D d, const PairVectors<V> &pair, V &force, V &energy)
  {
    const V depth = hn::Mul(pair.c3, hn::Exp(d, hn::Neg(hn::Mul(pair.c4, pair.rsq))));
    force = hn::Mul(hn::Mul(hn::Set(d, -2.0), pair.c4), depth);
    if constexpr (ENERGY) energy = hn::Sub(pair.c5, depth);
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

  /** Ziegler, Biersack and Littmark's universal screening function; c3 is the wave number of its first
      exponential. */
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

  // tables

  template <class D, class V>
  HWY_INLINE void report_outside(const PairTerms &terms, D d, const PairVectors<V> &pair)
  {
    const auto outside = hn::And(hn::Lt(pair.rsq, pair.c4), hn::Lt(pair.rsq, pair.c1));
    if (!hn::AllFalse(d, outside)) terms.tables.is_outside->store(true, std::memory_order_relaxed);
  }

  /** The entry at or below each distance, and how far beyond that it is, in intervals. */
  template <class D, class V>
  HWY_INLINE V find_interval(const PairTerms &terms, D d, const PairVectors<V> &pair,
                             std::int32_t *entry)
  {
    const hn::Rebind<std::int32_t, D> di;
    const V begin = hn::Sub(pair.rsq, pair.c4);
    const V intervals =
        hn::Min(hn::Max(hn::Mul(begin, pair.c5), hn::Zero(d)), hn::Set(d, terms.tables.last));
    const V whole = hn::Floor(intervals);
    hn::Store(hn::DemoteTo(di, hn::Add(whole, pair.c3)), di, entry);
    return hn::Mul(hn::NegMulAdd(whole, pair.c6, begin), pair.c5);
  }

  template <bool ENERGY, class D, class V>
  HWY_INLINE void linear_table(const PairTerms &terms, D d, const PairVectors<V> &pair, V &force,
                               V &energy)
  {
    HWY_ALIGN std::int32_t entry[hn::MaxLanes(D())];
    report_outside(terms, d, pair);
    const V fraction = find_interval(terms, d, pair, entry);
    V f = fraction, df = f, e = f, de = f;
    load_rows(d, terms.tables.rows, entry, DistanceTables::ROW, f, df, e, de);
    force = hn::MulAdd(fraction, df, f);
    if constexpr (ENERGY) energy = hn::MulAdd(fraction, de, e);
  }

  template <bool ENERGY, class D, class V>
  HWY_INLINE void spline_table(const PairTerms &terms, D d, const PairVectors<V> &pair, V &force,
                               V &energy)
  {
    HWY_ALIGN std::int32_t entry[hn::MaxLanes(D())];
    report_outside(terms, d, pair);
    const V b = find_interval(terms, d, pair, entry), a = hn::Sub(hn::Set(d, 1.0), b);
    V f = a, f2 = a, e = a, e2 = a, next_f = a, next_f2 = a, next_e = a, next_e2 = a;
    load_rows(d, terms.tables.rows, entry, DistanceTables::ROW, f, f2, e, e2);
    load_rows(d, terms.tables.rows + DistanceTables::ROW, entry, DistanceTables::ROW, next_f,
              next_f2, next_e, next_e2);
    const V a3 = hn::Mul(pair.c7, hn::MulSub(hn::Mul(a, a), a, a)),
            b3 = hn::Mul(pair.c7, hn::MulSub(hn::Mul(b, b), b, b));
    const auto spline = [&](V low, V low2, V high, V high2) {
      return hn::MulAdd(a3, low2, hn::MulAdd(b3, high2, hn::MulAdd(a, low, hn::Mul(b, high))));
    };
    force = spline(f, f2, next_f, next_f2);
    if constexpr (ENERGY) energy = spline(e, e2, next_e, next_e2);
  }

  /** Entries are found by the bits of the distance squared in single precision, with a mask and a
      shift that differ from table to table. */
  template <bool ENERGY, class D, class V>
  HWY_INLINE void bitmap_table(const PairTerms &terms, D d, const PairVectors<V> &pair, V &force,
                               V &energy)
  {
    constexpr std::size_t LANES = hn::MaxLanes(D());
    const hn::Rebind<float, D> df;
    const hn::RebindToSigned<decltype(df)> di;
    HWY_ALIGN double begin[LANES], mask[LANES], shift[LANES];
    HWY_ALIGN std::int32_t bits[LANES], entry[LANES];
    report_outside(terms, d, pair);
    const auto single = hn::DemoteTo(df, pair.rsq);
    hn::Store(hn::BitCast(di, single), di, bits);
    hn::Store(pair.c3, d, begin);
    hn::Store(pair.c5, d, mask);
    hn::Store(pair.c6, d, shift);
    for (std::size_t k = 0; k < hn::Lanes(d); k++)
      entry[k] = static_cast<std::int32_t>(begin[k]) +
          ((bits[k] & static_cast<std::int32_t>(mask[k])) >> static_cast<int>(shift[k]));
    const double *const rows = terms.tables.rows;
    V entry_rsq = pair.rsq, unused = entry_rsq, f = unused, slope = f, e = f, e_slope = f;
    load_rows(d, rows, entry, DistanceTables::BITMAP_ROW, entry_rsq, unused, f, slope);
    const V beyond = hn::Sub(hn::PromoteTo(d, single), entry_rsq);
    force = hn::MulAdd(beyond, slope, f);
    if constexpr (ENERGY) {
      load_pairs(d, rows + 4, entry, DistanceTables::BITMAP_ROW, e, e_slope);
      energy = hn::MulAdd(beyond, e_slope, e);
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
      case ShortRange::MIE:
        mie<ENERGY>(d, pair, force, energy);
        break;
      case ShortRange::BUCKINGHAM:
        buckingham<ENERGY>(d, pair, force, energy);
        break;
      case ShortRange::BORN:
        born<ENERGY>(d, pair, force, energy);
        break;
      case ShortRange::YUKAWA:
        yukawa<ENERGY>(terms, d, pair, force, energy);
        break;
      case ShortRange::GAUSS:
        gauss<ENERGY>(d, pair, force, energy);
        break;
      case ShortRange::SOFT:
        soft<ENERGY>(d, pair, force, energy);
        break;
      case ShortRange::ZBL:
        zbl<ENERGY>(terms, d, pair, force, energy);
        break;
      case ShortRange::TABLE_LINEAR:
        linear_table<ENERGY>(terms, d, pair, force, energy);
        break;
      case ShortRange::TABLE_SPLINE:
        spline_table<ENERGY>(terms, d, pair, force, energy);
        break;
      case ShortRange::TABLE_BITMAP:
        bitmap_table<ENERGY>(terms, d, pair, force, energy);
        break;
    }
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#endif
