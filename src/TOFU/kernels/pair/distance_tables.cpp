// SPDX-License-Identifier: GPL-2.0-only

#include "distance_tables.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pair/distance_tables.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "pair_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  struct Tabulated {
    using Real = double;
    static constexpr int NCOEFFICIENTS = DistanceTables::NCOEFFICIENTS;
    static constexpr int NFORCE_COEFFICIENTS = 4;
    static constexpr int HALF_LANES = 8;
    static constexpr bool PRUNES_FIRST = true;
    static constexpr bool CHARGED = false;
    int ntypes;
    const Real *coefficients;
    double largest_cutsq;
    const DistanceTables &tables;

    template <class D, class V> HWY_INLINE void look_ahead(D, V, V &, V &, std::int32_t *) const {}

    template <bool ENERGY, bool SPECIAL, class D, class V>
    HWY_INLINE void operator()(D d, const PairVectors<V> &pair, V &fpair, V &evdwl, V &) const
    {
      report_outside(d, pair);
      if (tables.kind == DistanceTables::Kind::SPLINE)
        spline<ENERGY>(d, pair, fpair, evdwl);
      else
        linear<ENERGY>(d, pair, fpair, evdwl);
      if constexpr (SPECIAL) {
        fpair = hn::Mul(pair.factor_lj, fpair);
        if constexpr (ENERGY) evdwl = hn::Mul(pair.factor_lj, evdwl);
      }
    }

   private:
    // lanes without a pair, and pairs of types that have no table, are far away or begin at 0

    template <class D, class V>
    HWY_INLINE void report_outside(D d, const PairVectors<V> &pair) const
    {
      const auto outside = hn::Lt(pair.rsq, pair.c2);
      if (!hn::AllFalse(d, outside)) tables.is_outside->store(true, std::memory_order_relaxed);
    }

    /** The interval and what is left of the distance from the begin of the table, in intervals. */
    template <class D, class V>
    HWY_INLINE V find_interval(D d, const PairVectors<V> &pair, V &interval,
                               std::int32_t *row) const
    {
      const hn::Rebind<std::int32_t, D> di;
      const V x = hn::Mul(hn::Sub(pair.rsq, pair.c2), pair.c3);
      interval = hn::Floor(hn::Min(hn::Max(x, hn::Zero(d)), hn::Set(d, tables.last)));
      hn::Store(hn::DemoteTo(di, hn::Add(interval, pair.c1)), di, row);
      return x;
    }

    /** By the bits of the distance squared in single precision, which are LAMMPS' own way to find
        it (Wolff and Rudd, Comp. Phys. Comm. 120, 20 (1999)). */
    template <class D, class V>
    HWY_INLINE V find_bits(D d, const PairVectors<V> &pair, std::int32_t *row) const
    {
      const hn::Rebind<float, D> df;
      const hn::RebindToSigned<decltype(df)> di;
      const auto single = hn::DemoteTo(df, pair.rsq);
      const auto shifted = hn::Shr(hn::BitCast(di, single), hn::DemoteTo(di, pair.c3));
      const auto in_table = hn::And(shifted, hn::Set(di, tables.mask));
      hn::Store(hn::Add(in_table, hn::DemoteTo(di, pair.c1)), di, row);
      return hn::PromoteTo(d, single);
    }

    template <bool ENERGY, class D, class V>
    HWY_INLINE void linear(D d, const PairVectors<V> &pair, V &force, V &energy) const
    {
      HWY_ALIGN std::int32_t row[hn::MaxLanes(D())];
      V unused = pair.rsq;
      const V x = tables.kind == DistanceTables::Kind::BITMAP ? find_bits(d, pair, row)
                                                              : find_interval(d, pair, unused, row);
      V f = x, slope = x;
      if constexpr (ENERGY) {
        V e = x, e_slope = x;
        load_rows(d, tables.rows, row, DistanceTables::ROW, f, slope, e, e_slope);
        energy = hn::MulAdd(x, e_slope, e);
      } else {
        load_pairs(d, tables.rows, row, DistanceTables::ROW, f, slope);
      }
      force = hn::MulAdd(x, slope, f);
    }

    template <bool ENERGY, class D, class V>
    HWY_INLINE void spline(D d, const PairVectors<V> &pair, V &force, V &energy) const
    {
      HWY_ALIGN std::int32_t row[hn::MaxLanes(D())];
      V interval = pair.rsq;
      const V x = find_interval(d, pair, interval, row);
      const V b = hn::Sub(x, interval), a = hn::Sub(hn::Set(d, 1.0), b);
      const V a3 = hn::MulSub(hn::Mul(a, a), a, a), b3 = hn::MulSub(hn::Mul(b, b), b, b);
      const auto value = [&](V low, V low2, V high, V high2) {
        return hn::MulAdd(a3, low2, hn::MulAdd(b3, high2, hn::MulAdd(a, low, hn::Mul(b, high))));
      };
      const double *const next = tables.rows + DistanceTables::ROW;
      V f = a, f2 = a, next_f = a, next_f2 = a;
      if constexpr (ENERGY) {
        V e = a, e2 = a, next_e = a, next_e2 = a;
        load_rows(d, tables.rows, row, DistanceTables::ROW, f, f2, e, e2);
        load_rows(d, next, row, DistanceTables::ROW, next_f, next_f2, next_e, next_e2);
        energy = value(e, e2, next_e, next_e2);
      } else {
        load_pairs(d, tables.rows, row, DistanceTables::ROW, f, f2);
        load_pairs(d, next, row, DistanceTables::ROW, next_f, next_f2);
      }
      force = value(f, f2, next_f, next_f2);
    }
  };

  void distance_tables(const DistanceTables &tables, const PairJob &job, int first, int last,
                       PairTally &tally)
  {
    const Tabulated potential{tables.ntypes, tables.table.doubles, tables.largest_cutsq, tables};
    compute_half_pairs(potential, job, first, last, tally);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, distance_tables,
            (const DistanceTables &tables, const PairJob &job, int first, int last,
             PairTally &tally),
            (tables, job, first, last, tally));

}    // namespace TOFU_NS
#endif
