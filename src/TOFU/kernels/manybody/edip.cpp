// SPDX-License-Identifier: GPL-2.0-only

#include "edip.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/manybody/edip.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>

#include "edip_centers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {

  /** On a line from a to b. */
  template <class V> HWY_INLINE V between(V a, V b, V fraction)
  {
    return hn::MulAdd(fraction, hn::Sub(b, a), a);
  }

  struct EDIPFromTables {
    static constexpr bool ONE = true;
    static constexpr int nelements = 1;

    const EDIPTables &c;

    HWY_INLINE auto cutsq_of(double center) const { return CutsqOf<true>{&c.cutsq, 1, center}; }

    template <class D, class V, class M>
    HWY_INLINE V distance(D d, int k, V r, V, M real, TripleFields<D> &fields,
                          EDIPTerms<D> &terms) const
    {
      const V one = hn::Set(d, 1.0), cut = hn::Set(d, c.cut);
      const auto inside = hn::And(real, hn::Lt(r, cut));
      const V inverse = hn::Div(one, hn::IfThenElse(inside, hn::Sub(r, cut), one));
      const V inverse_square = hn::Mul(inverse, inverse);

      HWY_ALIGN int rows[hn::MaxLanes(D())];
      const V place = hn::Mul(hn::Sub(r, hn::Set(d, c.start)), hn::Set(d, c.density));
      const V fraction = hn::Sub(place, row_of(d, place, rows));
      V decay, strength, power, count, next_decay, next_strength, next_power, next_count;
      load_rows(d, c.distances, rows, EDIPTables::NDISTANCE, decay, strength, power, count);
      load_rows(d, c.distances + EDIPTables::NDISTANCE, rows, EDIPTables::NDISTANCE, next_decay,
                next_strength, next_power, next_count);
      decay = between(decay, next_decay, fraction);
      strength = between(strength, next_strength, fraction);
      fields.set(k, DECAY, hn::IfThenElseZero(inside, decay));
      fields.set(k, STEEP, hn::Mul(hn::Set(d, c.gamma), inverse_square));
      terms.set(k, STRENGTH, hn::IfThenElseZero(inside, strength));
      terms.set(k, FADING, hn::Mul(hn::Set(d, c.sigma), inverse_square));
      terms.set(k, POWER, between(power, next_power, fraction));
      terms.set(k, RHO, hn::Set(d, c.rho));
      terms.set(k, BETA, hn::Set(d, c.beta));

      // most neighbors in a crystal count 1

      const auto far = hn::AndNot(hn::Lt(r, hn::Set(d, c.near)), inside);
      V slope = hn::Zero(d);
      if (!hn::AllFalse(d, far)) {
        const hn::Rebind<std::int32_t, D> d32;
        const hn::Rebind<std::int64_t, D> d64;
        const auto row = hn::PromoteTo(d64, hn::Load(d32, rows));
        slope = between(hn::GatherIndex(d, c.count_slopes, row),
                        hn::GatherIndex(d, c.count_slopes + 1, row), fraction);
        slope = hn::IfThenElseZero(far, slope);
      }
      terms.set(k, COUNT_SLOPE, slope);
      return hn::IfThenElseZero(inside,
                                hn::IfThenElse(far, between(count, next_count, fraction), one));
    }

    template <class D, class V> HWY_INLINE V weakening(D d, V z, V) const
    {
      V fraction;
      const V row = row_of_coordination(d, z, fraction);
      return between(look_up(d, c.weakening, row), look_up(d, c.weakening + 1, row), fraction);
    }

    template <class D, class V>
    HWY_INLINE void environment(D d, V z, V, int slot, EDIPTerms<D> &to) const
    {
      V fraction;
      const V row = row_of_coordination(d, z, fraction);
      const auto set = [&](int field, const double *table) {
        to.set(slot, field, between(look_up(d, table, row), look_up(d, table + 1, row), fraction));
      };
      set(Q, c.q);
      set(TAU, c.tau);
      set(TAU_SLOPE, c.tau_slope);
      to.set(slot, HALF_MU, hn::Set(d, 0.5 * c.mu));
      to.set(slot, LAMBDA, hn::Set(d, c.lambda));
      to.set(slot, ETA, hn::Set(d, c.eta));
    }

   private:
    /** Row before a place that is not behind the last but one, also as a number.  A distance below
        the first row lies on the line of the first two, as in LAMMPS. */
    template <class D, class V> HWY_INLINE V row_of(D d, V place, int *rows) const
    {
      const hn::Rebind<std::int32_t, D> d32;
      const auto row =
          hn::Min(hn::Max(hn::DemoteTo(d32, place), hn::Zero(d32)), hn::Set(d32, c.ndistances - 2));
      hn::Store(row, d32, rows);
      return hn::PromoteTo(d, row);
    }

    /** Likewise for a coordination number; what is behind the table has the values of its last row.
      */
    template <class D, class V> HWY_INLINE V row_of_coordination(D d, V z, V &fraction) const
    {
      const V last = hn::Set(d, c.ncoordinations - 1);
      const V place = hn::Min(hn::Mul(z, hn::Set(d, c.coordination_density)), last);
      const V row = hn::Min(hn::Floor(place), hn::Set(d, c.ncoordinations - 2));
      fraction = hn::Sub(place, row);
      return row;
    }
  };

  void edip(const EDIPTables &c, const CenterJob &job)
  {
    const EDIPFromTables functions{c};
    compute_centers(EDIPCenters<EDIPFromTables>{functions}, job);
  }

  // NOLINTNEXTLINE(google-readability-namespace-comments)
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace TOFU_NS {

TOFU_EXPORT(void, edip, (const EDIPTables &c, const CenterJob &job), (c, job));

}    // namespace TOFU_NS
#endif
